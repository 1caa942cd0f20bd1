// Draws the columns from data alone (text nodes, never markup) and reports the case that is picked.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function movement(row, first) {
  if (first) return "";
  if (row.moved === null) return "new here";
  if (row.moved === 0) return "same place";
  return row.moved > 0 ? `▲ up ${row.moved}` : `▼ down ${-row.moved}`;
}

function score(value) {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 1 ? value.toFixed(2) : value.toPrecision(3);
}

function entry(row, column, width, selected) {
  const button = element("button");
  button.type = "button";
  button.dataset.case = row.case_id;
  button.dataset.column = column;
  button.setAttribute("aria-pressed", String(row.case_id === selected));
  button.append(
    element("span", "rank", row.rank),
    element("span", "title", row.title),
    element("span", "score", score(row.score)),
    element("span", "meta", [row.date, row.court, movement(row, column === 0)].filter(Boolean).join(" · ")),
  );
  if (row.relevant) button.querySelector(".meta").prepend(element("span", "relevant", "relevant"), " ");
  const bar = element("span", "bar");
  const filled = element("i");
  filled.style.width = `${width}%`;
  bar.setAttribute("aria-hidden", "true");
  bar.append(filled);
  button.append(bar);
  return button;
}

function column(data, place, selected) {
  const section = element("section");
  section.setAttribute("aria-label", `Ranking by ${data.system}`);
  section.append(element("h3", "", data.system));
  if (!data.rows.length) {
    section.append(element("p", "empty", "Found no case: no term of yours occurs in the collection."));
    return section;
  }
  const list = element("ol");
  const best = Math.max(...data.rows.map((row) => row.score));
  for (const row of data.rows) {
    const item = element("li");
    const width = best > 0 ? Math.max(0, (100 * row.score) / best) : 0;
    item.append(entry(row, place, width, selected));
    list.append(item);
  }
  section.append(list);
  return section;
}

function trace(root, caseId) {
  const buttons = [...root.querySelectorAll("button")];
  const own = buttons.filter((button) => button.dataset.case === caseId);
  buttons.forEach((button) => button.classList.toggle("traced", own.includes(button)));
  const drawing = root.querySelector("svg");
  drawing.replaceChildren();
  drawing.setAttribute("width", root.scrollWidth);
  drawing.setAttribute("height", root.scrollHeight);
  const frame = root.getBoundingClientRect();
  for (let i = 1; i < own.length; i += 1) {
    const [from, to] = [own[i - 1].getBoundingClientRect(), own[i].getBoundingClientRect()];
    const x1 = from.right - frame.left + root.scrollLeft;
    const x2 = to.left - frame.left + root.scrollLeft;
    const y1 = from.top + from.height / 2 - frame.top;
    const y2 = to.top + to.height / 2 - frame.top;
    const middle = (x1 + x2) / 2;
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`);
    drawing.append(path);
  }
}

function next(root, button, key) {
  const all = [...root.querySelectorAll("button")];
  const place = Number(button.dataset.column);
  const own = all.filter((other) => Number(other.dataset.column) === place);
  if (key === "ArrowDown") return own[own.indexOf(button) + 1];
  if (key === "ArrowUp") return own[own.indexOf(button) - 1];
  const side = all.filter((other) => Number(other.dataset.column) === place + (key === "ArrowRight" ? 1 : -1));
  return side.find((other) => other.dataset.case === button.dataset.case) ?? side[own.indexOf(button)] ?? side[0];
}

// Once the pick has come back, bring its evidence into view; at once, a redrawn page would stop it.
function showEvidence(root, selected) {
  if (!selected || root.dataset.picked !== selected) return;
  delete root.dataset.picked;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  setTimeout(() => {
    document.getElementById("evidence")?.scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  }, 250);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".rankings");
  const focused = parentElement.activeElement?.dataset ?? {};
  const kept = { caseId: focused.case, column: focused.column };
  root.replaceChildren(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  root.firstChild.setAttribute("aria-hidden", "true");
  data.columns.forEach((one, place) => root.append(column(one, place, data.selected)));

  // One tab stop a column; arrows move within it, and sideways to the same case.
  const buttons = [...root.querySelectorAll("button")];
  buttons.forEach((button) => {
    const firstOfColumn = button === buttons.find((other) => other.dataset.column === button.dataset.column);
    button.tabIndex = firstOfColumn ? 0 : -1;
    if (kept.caseId === button.dataset.case && kept.column === button.dataset.column) button.focus();
  });
  root.onclick = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    root.dataset.picked = button.dataset.case;
    setTriggerValue("picked", button.dataset.case);
  };
  root.onkeydown = (event) => {
    const button = event.target.closest("button");
    if (!button || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    next(root, button, event.key)?.focus();
  };
  const shown = (event) => trace(root, event.target.closest("button")?.dataset.case ?? data.selected);
  root.onmouseover = shown;
  root.addEventListener("focusin", shown);
  root.onmouseleave = () => trace(root, data.selected);
  showEvidence(root, data.selected);
  // The first call comes after the drawing, when a pointer may already rest on a case.
  const pointed = () => root.querySelector("button:hover")?.dataset.case;
  const watcher = new ResizeObserver(() => trace(root, pointed() ?? data.selected));
  watcher.observe(root);
  return () => {
    watcher.disconnect();
    root.removeEventListener("focusin", shown);
  };
}
