// Makes pages live that work without: progress, sliders, fields that only sometimes count. Nothing is kept here.

/** A page that waits for something asks for itself again, unless somebody is typing in it. */
async function ask() {
  const seconds = Number(document.body.dataset.again);
  if (!seconds) return;
  await new Promise((done) => setTimeout(done, 500 * seconds));
  const busy = document.activeElement?.matches("input, select, textarea, summary") || document.querySelector("[data-dragged]");
  const job = document.querySelector("[data-job]");
  try {
    if (job && job.dataset.state === "running") await follow(job);
    else if (!busy) await replace();
  } catch { /* the server is away: try again */ }
  ask();
}

/** Put the page as it is now in the place of the one shown. */
async function replace() {
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = page.querySelector("main");
  if (!main) return;
  document.querySelector("main").replaceWith(document.adoptNode(main));
  document.title = page.title;
  document.body.dataset.again = page.body.dataset.again ?? "";
  prepare();
}

/** Move the bars of a job; when it has ended, show what came of it. */
async function follow(job) {
  const answer = await (await fetch(`progress?n=${job.dataset.job}`)).json();
  if (answer.over) return replace();
  const bars = job.querySelector(".bars");
  for (const task of answer.tasks) {
    let bar = [...bars.children].find((child) => child.firstElementChild.textContent === task.name);
    if (!bar) {
      if (answer.tasks.length && bars.firstElementChild?.textContent.trim() === "starting") bars.replaceChildren();
      bar = document.createElement("p");
      bar.className = "bar";
      const name = document.createElement("span"), progress = document.createElement("progress");
      name.textContent = task.name;
      progress.max = 1;
      progress.setAttribute("aria-label", task.name);
      bar.append(name, progress);
      bars.append(bar);
    }
    if (task.share !== null) bar.querySelector("progress").value = task.share;
  }
}

/** A number between two bounds gets a slider that writes into its field. */
function addSlider(input) {
  const { least, most } = input.dataset;
  if (least === undefined || most === undefined || Number(most) > 1000 || input.dataset.slides) return;
  const range = document.createElement("input");
  range.type = "range";
  range.min = least;
  range.max = most;
  range.step = Number(most) <= 1 ? 0.01 : 1;
  range.setAttribute("aria-label", `${input.labels[0]?.firstChild.textContent.trim()}, as a slider`);
  const show = () => {
    const text = input.value || input.placeholder;
    range.value = text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
  };
  range.addEventListener("input", () => { input.value = range.value; });
  input.addEventListener("input", show);
  input.dataset.slides = "yes";
  show();
  input.after(range);
}

/** Show a field only while the field that it depends on says so. */
function watch(field) {
  const other = document.getElementById(`field-${field.dataset.when}`);
  if (!other) return;
  const show = () => {
    const value = other.type === "checkbox" ? String(other.checked) : other.value;
    const own = field.querySelector("input, select, textarea");
    field.hidden = !field.dataset.is.split(" ").some((is) => value.includes(is)) && !own.value;
  };
  other.addEventListener("input", show);
  show();
}

/** Cuts on a ruler: each moves by mouse or arrow keys, and is written into the field, which alone is sent. */
function addHandles(ruler) {
  const field = ruler.closest("form").querySelector("[name=cuts]");
  const low = Number(ruler.dataset.low), high = Number(ruler.dataset.high);
  const whole = Number.isInteger(low) && Number.isInteger(high);
  const step = whole ? 1 : (high - low) / 200;
  const clamp = (number) => Math.min(high, Math.max(low + step, whole ? Math.round(number) : Number(number.toPrecision(4))));
  const cuts = () => field.value.split(",").map(Number).filter((number) => number > low && number <= high);
  const draw = (focused) => {
    ruler.querySelectorAll(".cut, .handle").forEach((old) => old.remove());
    cuts().forEach((cut, at) => {
      const handle = document.createElementNS(ruler.namespaceURI, "rect");
      const set = (name, value) => handle.setAttribute(name, value);
      const x = 10 + 580 * (cut - low) / (high - low);
      Object.entries({ x: x - 6, y: 6, width: 12, height: 32, rx: 3, class: "handle", tabindex: 0, role: "slider",
        "aria-label": `Cut ${at + 1}`, "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": cut }).forEach(([name, value]) => set(name, value));
      const move = (number, keep) => {
        const all = cuts();
        all[at] = clamp(number);
        field.value = all.join(", ");
        if (keep) draw(at);
        else set("x", 10 + 580 * (all[at] - low) / (high - low) - 6);
      };
      handle.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[event.key];
        if (by) { event.preventDefault(); move(cut + by, true); }
      });
      handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
      handle.addEventListener("pointermove", (event) => {
        if (!handle.hasPointerCapture(event.pointerId)) return;
        const box = ruler.getBoundingClientRect();
        move(low + ((event.clientX - box.left) / box.width * 600 - 10) / 580 * (high - low), false);
      });
      handle.addEventListener("pointerup", () => draw(at));
      ruler.append(handle);
      if (at === focused) handle.focus();
    });
  };
  field.addEventListener("input", () => draw());
  draw();
}

/** A group that is dragged onto one of the level above goes into it; what is marked goes with it. */
function makeDraggable(node) {
  const form = node.closest("form");
  node.draggable = true;
  node.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/plain", node.dataset.label);
    form.dataset.dragged = node.dataset.level;
    node.querySelector("input").checked = true;
  });
  node.addEventListener("dragend", () => { delete form.dataset.dragged; });
  const fits = () => form.dataset.dragged && Number(form.dataset.dragged) + 1 === Number(node.dataset.level);
  node.addEventListener("dragover", (event) => { if (fits()) event.preventDefault(); });
  node.addEventListener("drop", (event) => {
    if (!fits()) return;
    event.preventDefault();
    form.querySelector("[name=into]").value = node.dataset.label;
    form.requestSubmit(form.querySelector("[value=gather]"));
  });
}

function prepare() {
  document.querySelectorAll("svg.ruler").forEach(addHandles);
  document.querySelectorAll(".groups .node").forEach(makeDraggable);
  document.querySelectorAll("[data-number]").forEach(addSlider);
  document.querySelectorAll("[data-when]").forEach(watch);
}

prepare();
ask();
