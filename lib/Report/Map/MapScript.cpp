//===- MapScript.cpp - How a map answers ----------------------------------===//
//
// On top of what every page with a drawing does (Page.cpp): the live set of the
// step under the cursor, arrow keys, a search in all tensors, and a detail of
// the steps around the cursor.
//
//===----------------------------------------------------------------------===//

#include "lib/Report/Map/Map.h"

namespace tpu_mlir::report {

static const char *const kStyle = R"css(
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:12px;margin:16px 0}
.card{background:var(--tint);border:1px solid var(--rule);border-radius:8px;padding:10px 16px;overflow-wrap:anywhere}
.card h2{margin:0;font-size:13px;color:var(--soft);font-weight:600}
.card .big{font-size:24px;font-weight:650;line-height:1.25}
.card ol{margin:2px 0 0;padding-left:20px}
.failure{border:2px solid #c0392b;border-radius:8px;padding:10px 16px;margin:16px 0;overflow-wrap:anywhere}
.failure p{margin:0}
.failure p:first-child{font-weight:650}
.over{color:#c0392b}
@media screen and (prefers-color-scheme:dark){.over{color:#ff8a7a}}
.board{display:block;width:100%;height:auto}
figure[tabindex]:focus{outline:2px solid var(--accent);outline-offset:3px}
figure{cursor:crosshair}
#cursor line{stroke:#d55e00;stroke-width:1.6}
#cursor rect{fill:none;stroke:var(--ink);stroke-width:2.4}
#hits:empty{display:none}
#hits{max-height:260px;overflow:auto;border:1px solid var(--rule);border-radius:6px;padding:4px 10px}
#hits button{all:unset;display:block;cursor:pointer;padding:2px 0;overflow-wrap:anywhere}
#hits button:hover,#hits button:focus-visible{text-decoration:underline}
#detail text{pointer-events:none}
#live td.name{max-width:520px}
@media print{#hits{display:none}.failure,.card{break-inside:avoid}}
)css";

static const char *const kScript = R"js(
"use strict";
// After the script of all pages, whose search counts what is drawn.
document.addEventListener("DOMContentLoaded", function () {
  var data = JSON.parse(document.getElementById("map-data").textContent);
  var kinds = ["activation", "weight", "input", "output", "scratch"], colours = [0, 2, 5, 1, 3];
  var figure = document.getElementById("map"), svg = figure.querySelector("svg");
  var search = document.getElementById("search"), hits = document.getElementById("hits");
  var last = Math.max(data.steps - 1, 0), step = 0, chosen = null;
  var tensors = [], maker = new Map(), groupOf = new Map(), name = "", begin = 0;
  data.tensors.forEach(function (line) {
    var at = 0, numbers = [];
    for (var i = 0; i < 5; i += 1) {
      var end = line.indexOf(" ", at);
      numbers.push(parseInt(line.slice(at, end), 36));
      at = end + 1;
    }
    name = name.slice(0, parseInt(line[at], 36)) + line.slice(at + 1);
    begin += numbers[1];
    var what = numbers[0] % 16, tensor = {
      name: name, region: (numbers[0] - what) / 16, kind: what % 8, inside: what >= 8, begin: begin,
      end: begin + numbers[2], offset: numbers[3], size: numbers[4]
    };
    tensors.push(tensor);
    if ((tensor.kind === 0 || tensor.kind === 3) && !maker.has(begin)) maker.set(begin, tensor.name);
  });
  for (var i = 0; i < data.groups.length; i += 2) groupOf.set(data.groups[i], data.groups[i + 1]);

  function count(value) { return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ","); }
  function bytes(value) {
    var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], unit = -1;
    if (value < 1024) return value + " B";
    while (value >= 1024 && unit < 5) { value /= 1024; unit += 1; }
    return value.toFixed(unit > 1 ? 2 : 1) + " " + units[unit];
  }
  function element(parent, tag, attributes, text) {
    var made = parent.namespaceURI === "http://www.w3.org/2000/svg"
      ? document.createElementNS(parent.namespaceURI, tag) : document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }
  function clear(parent) { while (parent.firstChild) parent.removeChild(parent.firstChild); }
  function opOf(at) {
    if (at >= data.ops.length) return "";
    var text = data.opNames[data.ops[at]] || "nothing";
    if (maker.has(at)) text += " (" + maker.get(at) + ")";
    return text + (groupOf.has(at) ? ", layer group " + groupOf.get(at) : "");
  }
  function x(frame, at) { return frame[0] + frame[2] * at / Math.max(data.steps, 1); }
  function y(region, offset) {
    return region.frame[1] + region.frame[3] * (1 - Math.min(offset / region.top, 1));
  }
  function box(tensor) {
    var region = data.regions[tensor.region], left = x(region.frame, tensor.begin), top = y(region, tensor.offset + tensor.size);
    return { x: left, y: top, width: Math.max(x(region.frame, tensor.end) - left, 1.5),
             height: Math.max(y(region, tensor.offset) - top, 1.5) };
  }

  var cursor = element(svg, "g", { id: "cursor", "pointer-events": "none" });
  function drawCursor() {
    clear(cursor);
    data.regions.forEach(function (region) {
      var middle = x(region.frame, step + .5);
      element(cursor, "line", { x1: middle, x2: middle, y1: region.frame[1] - 9, y2: region.frame[1] + region.frame[3] + 9 });
    });
    if (chosen) element(cursor, "rect", box(chosen));
  }
  function isAlive(tensor) { return tensor.kind !== 1 && tensor.begin <= step && step < tensor.end; }
  function tell() {
    var alive = tensors.filter(function (tensor) { return !tensor.inside && isAlive(tensor); });
    alive.sort(function (a, b) { return b.size - a.size || (a.name < b.name ? -1 : 1); });
    var sums = data.regions.map(function () { return 0; });
    alive.forEach(function (tensor) { sums[tensor.region] += tensor.size; });
    var others = data.rest.map(function (rest) { return rest.sums.length ? rest.sums[Math.floor(step / data.stride)] : 0; });
    var told = [];
    data.regions.forEach(function (region, i) {
      if (sums[i] + others[i] > 0) told.push(region.name + " " + (others[i] ? "up to " : "") + bytes(sums[i] + others[i]));
    });
    document.getElementById("step").textContent = "Step " + count(step) + (opOf(step) ? ": " + opOf(step) : "");
    document.getElementById("sums").textContent = count(alive.length) + (alive.length === 1 ? " tensor" : " tensors") +
      " alive: " + (told.join(", ") || "0 B") + "; weights always";
    var body = document.getElementById("alive");
    clear(body);
    alive.slice(0, 25).forEach(function (tensor) {
      var row = element(body, "tr", {});
      element(row, "td", { "class": "name" }, tensor.name);
      element(row, "td", {}, kinds[tensor.kind]);
      element(row, "td", {}, data.regions[tensor.region].name);
      element(row, "td", { "class": "n" }, bytes(tensor.size));
      element(row, "td", { "class": "n" }, count(tensor.offset));
      element(row, "td", { "class": "n" }, "[" + count(tensor.begin) + ", " + count(tensor.end) + ")");
    });
    var more = alive.slice(25).reduce(function (sum, tensor) { return sum + tensor.size; }, 0);
    if (more) element(element(body, "tr", {}), "td", { colspan: 6 }, count(alive.length - 25) + " more, " + bytes(more));
    var left = others.reduce(function (a, b) { return a + b; }, 0);
    if (left) element(element(body, "tr", {}), "td", { colspan: 6 }, "small ones without a line of their own, up to " + bytes(left));
  }
  var detail = document.getElementById("detail"), main = data.main;
  function drawDetail() {
    if (!detail) return;
    clear(detail);
    var width = 1180, left = 92, inner = 916, height = 240, span = 48, region = data.regions[main];
    var from = Math.max(0, Math.min(step - span / 2, data.steps - span)), to = Math.min(from + span, data.steps);
    detail.setAttribute("viewBox", "0 0 " + width + " " + (height + 28));
    element(detail, "rect", { x: left, y: 0, width: inner, height: height, "class": "free" });
    function at(value) { return left + inner * (Math.max(from, Math.min(to, value)) - from) / (to - from); }
    function up(offset) { return height * (1 - Math.min(offset / region.top, 1)); }
    tensors.forEach(function (tensor) {
      if (tensor.region !== main || tensor.inside || tensor.kind === 1 || tensor.end <= from || tensor.begin >= to) return;
      var a = at(tensor.begin), w = at(tensor.end) - a, top = up(tensor.offset + tensor.size), h = up(tensor.offset) - top;
      var drawn = element(detail, "rect", { x: a, y: top, width: w, height: Math.max(h, .5), "class": "b c" + colours[tensor.kind] });
      element(drawn, "title", {}, tensor.name + "\n" + bytes(tensor.size) + "\nsteps [" + tensor.begin + "," + tensor.end + ")");
      var letters = Math.floor((w - 6) / 5.9);
      if (letters > 3 && h > 12) element(detail, "text", { x: a + w / 2, y: top + h / 2 + 4, "class": "label", "text-anchor": "middle" },
        tensor.name.length > letters ? tensor.name.slice(0, letters - 1) + "\u2026" : tensor.name);
    });
    var middle = at(step + .5);
    element(detail, "line", { x1: middle, x2: middle, y1: 0, y2: height, stroke: "#d55e00", "stroke-width": 1.6 });
    [from, step, to].forEach(function (value, i) {
      element(detail, "text", { x: i === 1 ? middle : at(value), y: height + 18, "class": "soft", "text-anchor": ["start", "middle", "end"][i] }, count(value));
    });
  }
  function goTo(at, tensor) {
    step = Math.max(0, Math.min(last, at));
    chosen = tensor || null;
    drawCursor(); tell(); drawDetail();
  }
  function stepUnder(event) {
    var place = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / place.width;
    if (!data.regions.length) return 0;
    var frame = data.regions[0].frame;
    return Math.floor(((event.clientX - place.left) * scale - frame[0]) / frame[2] * data.steps);
  }
  var isHeld = false;
  figure.addEventListener("mousemove", function (event) { if (!isHeld) goTo(stepUnder(event)); });
  figure.addEventListener("click", function (event) {
    if (event.target.closest("a")) return;
    isHeld = !isHeld;
    goTo(stepUnder(event));
  });
  figure.addEventListener("keydown", function (event) {
    var far = event.shiftKey ? Math.max(10, Math.round(data.steps / 50)) : 1;
    var to = { ArrowLeft: step - far, ArrowRight: step + far, Home: 0, End: last, p: data.regions.length ? data.regions[main].peak : 0 }[event.key];
    if (event.key === "Escape") isHeld = false;
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    isHeld = true;
    event.preventDefault();
    goTo(to);
  });
  search.addEventListener("input", function () {
    var wanted = search.value.trim().toLowerCase(), found = 0;
    clear(hits);
    if (wanted === "") return;
    tensors.forEach(function (tensor) {
      if (tensor.name.toLowerCase().indexOf(wanted) < 0) return;
      found += 1;
      if (found > 40) return;
      var button = element(hits, "button", { type: "button" }, tensor.name + " \u00b7 " + kinds[tensor.kind] + ", " + bytes(tensor.size) +
        (tensor.inside ? ", inside other storage" : "") + ", " + data.regions[tensor.region].name + " + " + count(tensor.offset) +
        (tensor.kind === 1 ? ", always" : ", steps [" + count(tensor.begin) + ", " + count(tensor.end) + ")"));
      button.addEventListener("click", function () { isHeld = true; goTo(tensor.begin, tensor); });
    });
    document.getElementById("count").textContent = count(found) + (found === 1 ? " tensor" : " tensors");
  });
  search.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && hits.firstChild) hits.firstChild.click();
  });
  document.querySelectorAll("[data-step]").forEach(function (button) {
    button.addEventListener("click", function () { isHeld = true; goTo(Number(button.getAttribute("data-step"))); figure.focus(); });
  });
  goTo(data.regions.length ? data.regions[main].peak : 0);
});
)js";

const char *mapStyle() { return kStyle; }
const char *mapScript() { return kScript; }

} // namespace tpu_mlir::report
