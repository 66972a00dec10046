// Makes pages live that work without: progress, sliders, fields that only sometimes count. Nothing is kept here.

/** A page that waits for something asks for itself again, unless somebody is typing in it. */
async function ask() {
  const seconds = Number(document.body.dataset.again);
  if (!seconds) return;
  await new Promise((done) => setTimeout(done, 500 * seconds));
  const busy = document.activeElement?.matches("input, select, textarea, summary");
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

function prepare() {
  document.querySelectorAll("[data-number]").forEach(addSlider);
  document.querySelectorAll("[data-when]").forEach(watch);
}

prepare();
ask();
