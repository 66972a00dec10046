/* The questions of a form: their controls, which of them are shown, and what they hold. Served before form.js.

   A question that is not shown is answered by the value the scheme has for that, and so is one that was left out:
   whatever a person ticks, the record has a value in every field. */
"use strict";

const ConfideQuestions = ({ scheme, questions, bounds, say }) => {
  const MOST_RADIOS = 8;
  const fieldOf = (question) => scheme.fields.find((field) => field.name === question.field);

  function made(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  const isWhole = (field) => field.edges.every(Number.isInteger);

  /* The ranges of a field as people say them: "31 to 50", not "(30,50]"; names that the owner gave stay. */
  function ranges(field) {
    const { edges, values } = field;
    const last = edges.length - 1;
    const usual = values.every((value, i) =>
      value === (i === 0 ? `<=${edges[0]}` : i > last ? `>${edges[last]}` : `(${edges[i - 1]},${edges[i]}]`)
    );
    if (!usual) return values;
    const { min, max } = bounds[field.name] ?? {};
    return values.map((_, i) => {
      if (isWhole(field)) {
        const low = i > 0 ? edges[i - 1] + 1 : Number.isInteger(min) && min <= edges[0] ? min : null;
        const high = i <= last ? edges[i] : Number.isInteger(max) && max > edges[last] ? max : null;
        if (low === null) return say("up to", { high });
        if (high === null) return say("or more", { low });
        return low === high ? String(low) : say("from to", { low, high });
      }
      if (i === 0) return say("up to", { high: edges[0] });
      return i > last ? say("above", { low: edges[last] }) : say("above up to", { low: edges[i - 1], high: edges[i] });
    });
  }

  /* Every value of a question's field as people read it. */
  function spoken(question) {
    const field = fieldOf(question);
    if (field.edges) return ranges(field);
    return field.values.map((value) => {
      if (Object.hasOwn(question.answers, value)) return question.answers[value];
      if (value === question.unasked) return say("unasked");
      return value === question.skipped ? say("skip") : value;
    });
  }

  // -- controls ------------------------------------------------------------------------------------------------------

  function numeric(field, id) {
    const { min, max } = bounds[field.name] ?? {};
    const input = made("input", { id, type: "number", inputMode: isWhole(field) ? "numeric" : "decimal", required: true });
    input.step = isWhole(field) ? "1" : "any";
    if (min !== undefined && min !== null) input.min = min;
    if (max !== undefined && max !== null) input.max = max;
    return input;
  }

  const hint = (id, text) => made("p", { className: "hint", id: `${id}-hint` }, text);

  function radios(question, id) {
    const optional = question.skipped !== undefined;
    const choices = Object.entries(question.answers).concat(optional ? [[question.skipped, say("skip")]] : []);
    const labels = choices.map(([value, text]) =>
      made("label", {}, made("input", { type: "radio", name: id, value, required: !optional }), made("span", {}, text))
    );
    const title = made("legend", {}, question.text);
    if (optional) title.append(" ", made("span", { className: "muted" }, `(${say("optional")})`));
    const box = made("fieldset", { className: "field", id }, title);
    if (question.help) {
      box.append(hint(id, question.help));
      box.setAttribute("aria-describedby", `${id}-hint`);
    }
    box.append(made("div", { className: "choices" }, ...labels));
    return box;
  }

  function single(question, id) {
    const field = fieldOf(question);
    const optional = question.skipped !== undefined;
    const box = made("div", { className: "field" }, made("label", { className: "name", htmlFor: id }, question.text));
    let control;
    let said = question.help ?? "";
    if (field.edges) {
      control = numeric(field, id);
      said = `${said}${said ? " " : ""}${say("only the range", { ranges: ranges(field).join("; ") })}`;
    } else {
      const options = Object.entries(question.answers).map(([value, text]) => made("option", { value }, text));
      control = made("select", { id, required: !optional }, made("option", { value: "" }, say("choose")), ...options);
    }
    box.append(control);
    if (said) {
      box.append(hint(id, said));
      control.setAttribute("aria-describedby", `${id}-hint`);
    }
    return box;
  }

  const asRadios = (question) =>
    !question.plain && !fieldOf(question).edges && Object.keys(question.answers).length <= MOST_RADIOS;

  const boxes = questions.map((question, i) => (asRadios(question) ? radios : single)(question, `field-${i}`));

  const controls = (i) => [...boxes[i].querySelectorAll("input, select")];

  /* What was chosen or typed; "" while nothing is. */
  function chosen(i) {
    if (asRadios(questions[i])) return controls(i).find((control) => control.checked)?.value ?? "";
    return controls(i)[0].value;
  }

  // -- which are shown -----------------------------------------------------------------------------------------------

  const place = (name) => questions.findIndex((question) => question.field === name);

  const isAsked = (i) => {
    const { only_if: condition } = questions[i];
    if (!condition) return true;
    const before = place(condition.question);
    return isAsked(before) && condition.is.includes(chosen(before));
  };

  function show() {
    questions.forEach((question, i) => {
      const asked = isAsked(i);
      if (boxes[i].hidden === !asked) return;
      boxes[i].hidden = !asked;
      for (const control of controls(i)) {
        control.disabled = !asked;
        if (asked) continue;
        if (control.type === "radio") control.checked = false;
        else control.value = "";
      }
    });
  }

  /* Everything that goes into the form, headings of sections in their places. */
  function build(parent) {
    const parts = questions.flatMap((question, i) => {
      const heading = question.section ? [made("h2", {}, question.section)] : [];
      return [...heading, boxes[i]];
    });
    parent.replaceChildren(...parts);
    parent.addEventListener("change", show);
    show();
  }

  /* A value for every field, whoever was asked what. */
  function answers() {
    const found = questions.map((question, i) => {
      if (!isAsked(i)) return [question.field, question.unasked];
      return [question.field, chosen(i) === "" && question.skipped !== undefined ? question.skipped : chosen(i)];
    });
    return Object.fromEntries(found);
  }

  /* The first question without a proper answer: its control, and what to say of it. */
  function firstMissing() {
    for (const [i, question] of questions.entries()) {
      const wrong = boxes[i].hidden ? undefined : controls(i).find((control) => !control.checkValidity());
      if (wrong) return { control: wrong, said: whatIsMissing(question, wrong) };
    }
    return null;
  }

  function whatIsMissing(question, control) {
    if (control.type !== "number" || (control.validity.valueMissing && !control.validity.badInput))
      return question.plain ? say("answer all") : say("answer this", { name: question.text });
    const { min, max } = control;
    return say("number", { name: question.text, bounds: min !== "" && max !== "" ? say("bounds", { min, max }) : "" });
  }

  const ofField = (name) => questions[place(name)];

  return { answers, build, firstMissing, ofField, show, spoken };
};
