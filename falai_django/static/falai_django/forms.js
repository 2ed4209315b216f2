// Makes the rows and choices of the flow forms pleasant; without it every input is there and works (spec: ux.md).

// -- choices: what depends on one is shown and sent only when it matters

const show = (element, visible) => {
    element.hidden = !visible;
    for (const input of element.querySelectorAll("input, select, textarea")) {
        input.disabled = input.closest("[data-falai-part] [hidden]") !== null;
    }
};

const holdsSomething = (element) =>
    element.querySelector(".falai-notes, .falai-kept, .falai-row") !== null ||
    [...element.querySelectorAll("textarea, select, input[type=text]")].some((input) => input.value !== "") ||
    element.querySelector("input:checked") !== null;

const chooseAlternative = (box) => {
    const chosen = box.querySelector("[data-falai-choose]").value;
    for (const part of box.querySelectorAll(":scope > [data-falai-for]")) {
        show(part, part.dataset.falaiFor === chosen);
    }
};

const followers = (root) => {
    for (const part of root.querySelectorAll("[data-falai-when]")) {
        const leader = document.getElementsByName(part.dataset.falaiWhen)[0];
        // What holds something stays in sight, so that nothing is stored that nobody sees.
        if (leader) part.hidden = !part.dataset.falaiValues.split(" ").includes(leader.value) && !holdsSomething(part);
    }
};

const textInput = (old, shape) => {
    const made = document.createElement(shape.options?.length ? "select" : shape.rows ? "textarea" : "input");
    if (made.localName === "select") {
        made.add(new Option("", ""));
        for (const [value, label] of shape.options) made.add(new Option(label, value));
    } else if (shape.rows) {
        made.rows = shape.rows;
    } else {
        made.type = "text";
        made.className = "vTextField";
    }
    made.name = old.name;
    made.id = old.id;
    return made;
};

const chooseClause = (clause, changed) => {
    const kind = clause.querySelector("[data-falai-kind]");
    const field = clause.querySelector("[data-falai-field]");
    const value = clause.querySelector(".falai-clause-value");
    const asksField = ["equals", "known"].includes(kind.value);
    const source = kind.value === "equals" ? field.selectedOptions[0] : kind.selectedOptions[0];
    const shape = JSON.parse(source?.dataset.falaiInput || "null");
    const asksValue = kind.value === "equals" ? true : shape !== null;
    if (changed) {
        const old = value.querySelector("input:not([type=checkbox]), select, textarea");
        const made = textInput(old, shape ?? {});
        made.value = old.value;
        old.replaceWith(made);
        if (shape?.label) value.querySelector("label").textContent = shape.label;
    }
    show(clause.querySelector(".falai-clause-field"), asksField);
    show(value, asksValue);
};

const chooseAction = (call) => {
    const place = call.querySelector("[data-falai-parameters]");
    const chosen = call.querySelector("[data-falai-action]").value;
    const shown = place.dataset.falaiShown ?? "";
    call.falaiGroups ??= new Map();
    call.falaiGroups.set(shown, [...place.childNodes]);
    const template = [...call.querySelectorAll(":scope > template")].find((each) => each.dataset.falaiOf === chosen);
    const nodes = call.falaiGroups.get(chosen) ?? [...(template?.content.cloneNode(true).childNodes ?? [])];
    place.replaceChildren(...nodes);
    place.dataset.falaiShown = chosen;
};

// -- rows

const rowsOf = (box) => [...box.querySelectorAll(":scope > ol > li")];

const tell = (box, text) => {
    box.querySelector(":scope > .falai-said").textContent = text;
};

const renumber = (box) => {
    const rows = rowsOf(box);
    rows.forEach((row, index) => {
        row.querySelector(`[name="${CSS.escape(row.dataset.falaiRow)}-order"]`).value = String(index + 1);
        row.setAttribute("aria-label", `${box.dataset.falaiOne} ${index + 1}`);
        const [up, down] = row.querySelectorAll(":scope > .falai-row-tools > .falai-tool");
        up.disabled = index === 0;
        down.disabled = index === rows.length - 1;
    });
};

const button = (className, text, label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = className;
    made.textContent = text;
    if (label) {
        made.title = label;
        made.setAttribute("aria-label", label);
    }
    made.addEventListener("click", act);
    return made;
};

const move = (box, row, step) => {
    const rows = rowsOf(box);
    const other = rows[rows.indexOf(row) + step];
    if (!other) return;
    if (step < 0) other.before(row);
    else other.after(row);
    renumber(box);
    const tools = row.querySelectorAll(":scope > .falai-row-tools > .falai-tool");
    const wanted = tools[step < 0 ? 0 : 1];
    (wanted.disabled ? tools[step < 0 ? 1 : 0] : wanted).focus();
    tell(box, `${box.dataset.moved} ${rowsOf(box).indexOf(row) + 1}`);
};

const remove = (box, row) => {
    const rows = rowsOf(box);
    const next = rows[rows.indexOf(row) + 1] ?? rows[rows.indexOf(row) - 1];
    row.remove();
    renumber(box);
    const target = next?.querySelector(":scope > .falai-row-tools > .falai-tool:last-child");
    (target ?? box.querySelector(":scope > .falai-add")).focus();
    tell(box, box.dataset.removed);
};

const addTools = (box, row) => {
    const text = box.dataset;
    row.querySelector(":scope > .falai-row-tools").append(
        button("falai-tool", "↑", text.up, () => move(box, row, -1)),
        button("falai-tool", "↓", text.down, () => move(box, row, 1)),
        button("falai-tool", "✕", text.remove, () => remove(box, row)),
    );
};

// A new row is a copy of the spare one under names of its own.
const copyOf = (spare, key) => {
    const old = spare.dataset.falaiRow;
    const fresh = old.replace(/-[^-]*$/, `-${key}`);
    const copy = spare.cloneNode(true);
    const rename = (element) => {
        for (const { name, value } of [...element.attributes]) {
            if (value.includes(old)) element.setAttribute(name, value.replaceAll(old, fresh));
        }
        for (const template of element.querySelectorAll("template")) {
            for (const inner of template.content.querySelectorAll("*")) rename(inner);
        }
    };
    [copy, ...copy.querySelectorAll("*")].forEach(rename);
    copy.querySelector(":scope > input[type=hidden]").value = key;
    copy.classList.remove("falai-spare");
    return copy;
};

const addRow = (box, spare) => {
    const taken = new Set(rowsOf(box).map((row) => row.querySelector(":scope > input[type=hidden]").value));
    let number = rowsOf(box).length + 1;
    while (taken.has(`new${number}`)) number += 1;
    const copy = copyOf(spare, `new${number}`);
    box.querySelector(":scope > ol").append(copy);
    addTools(box, copy);
    enhance(copy);
    renumber(box);
    copy.querySelector("select, textarea, input[type=text]:not([name$=-order])")?.focus();
    tell(box, box.dataset.added);
};

const setUpRows = (box) => {
    const said = document.createElement("p");
    said.className = "falai-said";
    said.setAttribute("aria-live", "polite");
    box.append(said);
    const spare = box.querySelector(":scope > ol > .falai-spare");
    spare.remove();
    for (const row of rowsOf(box)) {
        addTools(box, row);
        const removing = row.querySelector(`[name="${CSS.escape(row.dataset.falaiRow)}-remove"]`);
        if (removing?.checked) row.remove();
    }
    box.append(button("falai-add", `+ ${box.dataset.falaiAdd}`, "", () => addRow(box, spare)));
    renumber(box);
};

function enhance(root) {
    // Outermost first: what lies inside a spare row is set up when the row is used.
    for (const box of root.querySelectorAll("[data-falai-rows]")) {
        if (root.contains(box)) setUpRows(box);
    }
    for (const clause of root.querySelectorAll("[data-falai-clause]")) chooseClause(clause, false);
    for (const call of root.querySelectorAll("[data-falai-call]")) {
        const place = call.querySelector("[data-falai-parameters]");
        place.dataset.falaiShown = call.querySelector("[data-falai-action]").value;
    }
    followers(root);
    for (const box of root.querySelectorAll("[data-falai-one-of]")) chooseAlternative(box);
}

const changed = (event) => {
    const input = event.target;
    if (input.matches("[data-falai-choose]")) chooseAlternative(input.parentElement);
    if (input.matches("[data-falai-kind], [data-falai-field]")) chooseClause(input.closest("[data-falai-clause]"), true);
    if (input.matches("[data-falai-action]")) chooseAction(input.closest("[data-falai-call]"));
    const part = input.closest("[data-falai-part]");
    if (part && input.localName === "select") followers(part);
};

for (const part of document.querySelectorAll("[data-falai-part]")) {
    part.classList.add("falai-live");
    enhance(part);
    part.addEventListener("change", changed);
}
