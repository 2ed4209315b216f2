/* Shows where the conversation stands, and says what the visitor does. What came from people is only ever set as text. */

const QUICK = 500, CALM = 2000, QUICK_FOR = 6000;
const $ = (id) => document.getElementById(id);
const main = $("chat"), words = main.dataset;
const token = document.querySelector("#composer [name=csrfmiddlewaretoken]").value;
let shown = {}, pending = [], busyUntil = 0, timer = 0, asked = 0, chat = 0;

function make(tag, name, ...inside) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside.filter((each) => each !== "" && each !== null));
  return element;
}

/* -- the server */

async function ask(path, data) {
  const turn = ++asked, of = chat;
  const how = data ? { method: "POST", body: new URLSearchParams(data), headers: { "X-CSRFToken": token } } : {};
  const answer = await fetch(words.base + path, { ...how, headers: { ...how.headers, Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const state = await answer.json();
  // An answer that comes after a later one's, or after the conversation was left, tells nothing new.
  if (turn >= (ask.newest ?? 0) && of === chat) { ask.newest = turn; show(state); }
  return state;
}

async function look() {
  clearTimeout(timer);
  try {
    await ask("state");
    lost(false);
  } catch {
    lost(true);
  }
  again();
}

function again() {
  clearTimeout(timer);
  const isQuick = Date.now() < busyUntil || shown.isWorking;
  timer = setTimeout(look, document.hidden ? 5 * CALM : isQuick ? QUICK : CALM);
}

async function act(path, data = {}) {
  try {
    const state = await ask(path, { key: newKey(), ...data });
    trouble(state.trouble);
  } catch {
    lost(true);
  }
  busyUntil = Date.now() + QUICK_FOR;
  again();
}

function newKey() {
  return crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`;
}

async function send(message) {
  message.isFailed = false;
  show(shown);
  try {
    const state = await ask("say", { text: message.text, key: message.key });
    pending = pending.filter((each) => each !== message);
    trouble(state.trouble);
  } catch {
    message.isFailed = true;
  }
  show(shown);
  busyUntil = Date.now() + QUICK_FOR;
  again();
}

/* -- what is shown */

function show(state) {
  const before = shown, scroll = $("scroll");
  // Who reads what was said before is left there; who follows, follows whatever takes its place on the page.
  const follows = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80 || pending.length > 0;
  shown = state;
  const changed = (name) => JSON.stringify(before[name]) !== JSON.stringify(state[name]);
  messages(state.messages ?? []);
  $("typing").hidden = !(state.isWorking || pending.some((each) => !each.isFailed)) || Boolean(state.silence);
  suggestion(state);
  if (changed("wakes")) pairs("wakes", state.wakes);
  if (changed("runs")) pairs("runs", state.runs);
  if (changed("data")) pairs("data", state.data);
  if (changed("events")) events(state.events);
  if (changed("turns")) turns(state.turns);
  $("wake").disabled = !state.wakes?.length;
  silence(state.silence);
  if (follows) scroll.scrollTop = scroll.scrollHeight;
}

function messages(told) {
  const list = $("messages");
  const known = new Map([...list.children].map((each) => [each.dataset.id, each]));
  const ids = new Set([...told.map((each) => each.id), ...pending.map((each) => each.key)]);
  for (const [id, item] of known) if (!ids.has(id)) item.remove();
  for (const each of told) {
    if (known.has(each.id)) continue;
    list.append(bubble(each.id, each.author, each.text, each.at));
  }
  for (const each of pending) {
    known.get(each.key)?.remove();
    const item = bubble(each.key, "customer", each.text, "");
    if (each.isFailed) {
      const retry = make("button", "", words.unsent);
      retry.type = "button";
      retry.addEventListener("click", () => send(each));
      item.classList.add("unsent");
      item.append(make("br"), retry);
    }
    list.append(item);
  }
  document.querySelector(".opening").hidden = list.childElementCount > 0;
}

function bubble(id, author, text, at) {
  const who = { customer: words.you, assistant: words.agent, human: words.team }[author] ?? author;
  const item = make("li", author, make("span", "unseen", `${who}: `), make("span", "bubble", text));
  item.dataset.id = id;
  if (at) item.append(make("span", "at", at));
  return item;
}

function suggestion(state) {
  const said = (state.messages ?? []).filter((each) => each.author === "customer").length + pending.length;
  const next = state.says?.[said];
  $("suggestion").hidden = !next || pending.length > 0;
  $("suggestion").querySelector("button").textContent = next ?? "";
}

function pairs(id, told) {
  const rows = told.flatMap((each) => [make("dt", "", each.label), make("dd", "", each.value)]);
  $(id).replaceChildren(...(rows.length ? rows : [make("dd", "quiet", words.none)]));
}

function events(told) {
  $("no-events").hidden = told.length > 0;
  $("events").replaceChildren(...told.map((each) => {
    const button = make("button", "", each.label);
    button.type = "button";
    button.title = each.about;
    button.addEventListener("click", () => act("event", { name: each.name }));
    return make("li", "", button);
  }));
}

function silence(told) {
  $("silenced").hidden = !told;
  $("silence").hidden = Boolean(told);
  if (told) $("silenced").querySelector("span").textContent = told.text;
}

function turns(told) {
  const list = $("turns"), open = new Map([...list.querySelectorAll("details")].map((each) => [each.dataset.id, each.open]));
  $("no-turns").hidden = told.length > 0;
  list.replaceChildren(...told.map((each, place) => turn(each, open.get(String(each.id)) ?? place === 0)));
  // The one before the newest makes room, unless somebody looks at it.
  const second = list.children[1]?.querySelector("details");
  if (second && !open.has(String(told[0].id)) && !second.contains(document.activeElement)) second.open = false;
}

function turn(told, isOpen) {
  const item = $("turn").content.firstElementChild.cloneNode(true), details = item.querySelector("details");
  details.dataset.id = told.id;
  details.open = isOpen;
  details.classList.toggle("failed", told.isFailed);
  item.querySelector(".what").textContent = told.what;
  item.querySelector(".at").textContent = told.isFailed ? `${told.state} · ${told.at}` : told.at;
  const part = (name) => item.querySelector(`[data-part="${name}"]`);
  const fill = (name, list, of) => {
    part(name).hidden = !list?.length;
    part(name).querySelector("ul").replaceChildren(...(list ?? []).map(of));
  };
  const understood = told.understood;
  part("unasked").hidden = Boolean(understood);
  fill("flows", understood?.flows, score);
  fill("mentions", understood?.mentions, judged);
  fill("branches", understood?.branches, judged);
  fill("fields", understood?.fields, value);
  fill("performed", told.performed, line);
  fill("lines", told.lines, line);
  return item;
}

function score(told) {
  const meter = make("meter");
  meter.min = 0;
  meter.max = 100;
  meter.value = told.score;
  meter.setAttribute("aria-label", words.score);
  const title = make("span", "", told.title, told.isAsking ? make("span", "chip", words.asking) : "");
  return make("li", "score", title, meter, make("b", "", String(told.score)));
}

function judged(told) {
  const title = make("span", "", told.title, told.more ? make("span", "quiet", ` (${told.more})`) : "");
  return make("li", told.holds ? "judged holds" : "judged", title, make("span", "chip", told.holds ? words.yes : words.no));
}

function value(told) {
  const why = told.more ? make("span", "quiet", ` ${told.more}`) : "";
  return make("li", "value", make("span", "quiet", `${told.label}: `), make("b", "", told.value), why);
}

function line(told) {
  const where = told.where ? make("span", "where", told.where) : "";
  return make("li", `line ${told.tone}`, where, told.text, told.more ? make("span", "more", told.more) : "");
}

function trouble(text) {
  $("trouble").hidden = !text;
  $("trouble").textContent = text ?? "";
}

function lost(isLost) {
  if (isLost) trouble(words.lost);
  else if ($("trouble").textContent === words.lost) trouble(null);
}

/* -- what the visitor does */

$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (!text) return;
  $("text").value = "";
  say(text);
});
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("composer").requestSubmit();
  }
});
$("suggestion").querySelector("button").addEventListener("click", (event) => {
  say(event.target.textContent);
  $("text").focus();
});

function say(text) {
  const message = { text, key: newKey(), isFailed: false };
  pending.push(message);
  send(message);
}

$("wake").addEventListener("click", () => act("wake"));
for (const button of document.querySelectorAll("button[data-silence]")) {
  button.addEventListener("click", () => act("silence", { on: button.dataset.silence }));
}
$("new").addEventListener("click", async () => {
  pending = [];
  chat += 1;
  await act("new");
  $("text").focus();
});
for (const tab of document.querySelectorAll(".tabs button")) {
  tab.addEventListener("click", () => {
    main.dataset.show = tab.dataset.show;
    for (const each of document.querySelectorAll(".tabs button")) each.setAttribute("aria-pressed", String(each === tab));
  });
}
document.addEventListener("visibilitychange", () => document.hidden || look());
document.querySelector(".agents [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
look();
