//===- Zoom.cpp - A closer look at a panel --------------------------------===//
//
// Each panel has an <svg class="view"> of its own for what lies between the
// axes. The script changes its viewBox, and beside it draws what has to stay
// readable: ticks and names. Boxes that were too many to be drawn one by one
// are in the page as numbers (Detail.h); those in view are drawn, the largest
// first.
//
//===----------------------------------------------------------------------===//

#include "lib/Report/Plan/Detail.h"

namespace tpu_mlir::report {

std::string zoomStyle() {
  return R"css(.view{overflow:hidden}
.view *{vector-effect:non-scaling-stroke}
.panel.zoomed .still,.panel.complete .rest{display:none}
.panel.zoomed .view{cursor:grab}
.zoom{display:inline-flex;gap:4px;align-items:center}
.zoom button{font:inherit;color:inherit;background:var(--tint);border:1px solid var(--rule);border-radius:6px;padding:3px 10px;cursor:pointer}
)css";
}

std::string zoomBar() {
  return "<span class=\"zoom screen\"><button type=\"button\" data-zoom=\"2\" "
         "aria-label=\"Closer\">+</button><button type=\"button\" "
         "data-zoom=\"0.5\" aria-label=\"Farther\">&#8722;</button><button "
         "type=\"button\" data-zoom=\"0\">all</button></span>\n<span "
         "class=\"quiet screen\">Ctrl and wheel, or a double click: closer; "
         "drag to move</span>\n";
}

static const char *const kScript = R"js(
"use strict";
(function () {
  var SVG = "http://www.w3.org/2000/svg", DEEPEST = 1 << 20, MOST_BOXES = 3000, MOST_NAMES = 400, LETTER = 5.9;
  function element(kind, attributes, content) {
    var made = document.createElementNS(SVG, kind);
    Object.keys(attributes).forEach(function (name) { made.setAttribute(name, attributes[name]); });
    if (content !== undefined) made.textContent = content;
    return made;
  }
  function count(number) { return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ","); }
  function bytes(number) {
    var units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], unit = 0, rest = number;
    for (; rest >= 1024 && unit + 1 < units.length; unit += 1) rest /= 1024;
    return (unit === 0 || rest % 1 === 0 ? count(rest) : rest.toFixed(rest < 10 ? 3 : 1)) + " " + units[unit];
  }
  function round(step, isBytes) {
    var base = isBytes ? 2 : 10, power = Math.pow(base, Math.floor(Math.log(step) / Math.log(base)));
    var times = isBytes ? [1, 2] : [1, 2, 5, 10];
    return Math.max(1, power * times.find(function (time) { return power * time >= step * 0.999; }));
  }
  function ticks(begin, end, wanted, isBytes) {
    var step = round((end - begin) / wanted, isBytes), list = [];
    for (var at = Math.ceil(begin / step) * step; at <= end; at += step) list.push(at);
    return list;
  }
  function decoded(data) {
    var text = atob(data.textContent), unit = Number(data.getAttribute("data-unit")), at = 0, step = 0, id = 0, boxes = [];
    function number() {
      for (var value = 0, times = 1, byte = 128; byte >= 128; times *= 128) {
        byte = text.charCodeAt(at);
        at += 1;
        value += (byte % 128) * times;
      }
      return value;
    }
    while (at < text.length) {
      step += number();
      var steps = number(), offset = number() * unit, size = number() * unit, last = number(), folded = Math.floor(last / 8);
      id += folded % 2 ? -(folded + 1) / 2 : folded / 2;
      boxes.push({ begin: step, end: step + steps, low: offset, high: offset + size, id: id, colour: last % 8 });
    }
    return boxes.sort(function (a, b) {
      return (b.end - b.begin) * (b.high - b.low) - (a.end - a.begin) * (a.high - a.low) || a.id - b.id;
    });
  }
  var panels = [];
  function Panel(group) {
    var view = group.querySelector("svg.view"), numbers = group.getAttribute("data-range").split(" ").map(Number);
    var full = view.getAttribute("viewBox").split(" ").map(Number), now = full.slice(), isDue = false, drag = null;
    var more = group.querySelector(".more"), beside = element("g", {}), data = document.getElementById(group.getAttribute("data-more"));
    var hidden = null, drawn = null;
    group.appendChild(beside);
    function xOf(step) { return full[0] + full[2] * (step - numbers[0]) / (numbers[1] - numbers[0]); }
    function yOf(offset) { return full[1] + full[3] * (1 - offset / numbers[2]); }
    function stepAt(x) { return numbers[0] + (x - full[0]) / full[2] * (numbers[1] - numbers[0]); }
    function offsetAt(y) { return (1 - (y - full[1]) / full[3]) * numbers[2]; }
    function outX(x) { return full[0] + (x - now[0]) * full[2] / now[2]; }
    function outY(y) { return full[1] + (y - now[1]) * full[3] / now[3]; }
    function isSeen(box) {
      return box.x < now[0] + now[2] && box.x + box.width > now[0] && box.y < now[1] + now[3] && box.y + box.height > now[1];
    }
    function drawMore() {
      more.textContent = "";
      if (!data || !isCloser()) return [];
      hidden = hidden || decoded(data);
      var seen = [];
      for (var i = 0; i < hidden.length && seen.length < MOST_BOXES; i += 1) {
        var one = hidden[i], box = { x: xOf(one.begin), y: yOf(one.high) };
        box.width = xOf(one.end) - box.x;
        box.height = yOf(one.low) - box.y;
        if (!isSeen(box)) continue;
        box.name = "buffer number " + count(one.id);
        seen.push(box);
        var tiny = Math.min(box.width * full[2] / now[2], box.height * full[3] / now[3]) < 2.5;
        more.appendChild(element("rect", {
          x: box.x, y: box.y, width: box.width, height: box.height, "data-b": one.id,
          "class": "b c" + one.colour + (tiny ? " t" : ""),
          "data-t": box.name + "\n" + bytes(one.high - one.low) + "\nsteps [" + one.begin + "," + one.end + ")\noffset " +
            count(one.low) + " to " + count(one.high)
        }));
      }
      return seen;
    }
    function boxesOfPage() {
      return Array.from(view.querySelectorAll("rect.b:not(.a)")).filter(function (part) {
        return !more.contains(part);
      }).map(function (part) {
        var box = { name: part.querySelector("title").textContent.split("\n")[0] };
        ["x", "y", "width", "height"].forEach(function (name) { box[name] = Number(part.getAttribute(name)); });
        return box;
      }).sort(function (a, b) { return b.width * b.height - a.width * a.height; });
    }
    function name(box) {
      var left = Math.max(outX(box.x), full[0]), right = Math.min(outX(box.x + box.width), full[0] + full[2]);
      var top = Math.max(outY(box.y), full[1]), bottom = Math.min(outY(box.y + box.height), full[1] + full[3]);
      var letters = Math.floor((right - left - 6) / LETTER);
      if (letters < 3 || bottom - top < 13) return 0;
      var shown = box.name.length <= letters ? box.name : box.name.slice(0, letters - 1) + "\u2026";
      beside.appendChild(element("text", { x: (left + right) / 2, y: (top + bottom) / 2 + 4, "class": "label", "text-anchor": "middle" }, shown));
      return 1;
    }
    function isCloser() { return now[2] < full[2] || now[3] < full[3]; }
    function draw() {
      isDue = false;
      beside.textContent = "";
      view.setAttribute("viewBox", now.join(" "));
      group.classList.toggle("zoomed", isCloser());
      var extra = drawMore(), named = 0;
      // Nothing grey is left in view.
      group.classList.toggle("complete", isCloser() && data !== null && data.hasAttribute("data-all") && extra.length < MOST_BOXES);
      if (!isCloser()) return;
      ticks(stepAt(now[0]), stepAt(now[0] + now[2]), 10, false).forEach(function (step) {
        var x = outX(xOf(step)), foot = full[1] + full[3];
        beside.appendChild(element("line", { x1: x, x2: x, y1: foot, y2: foot + 5, "class": "frame" }));
        beside.appendChild(element("text", { x: x, y: foot + 19, "class": "soft", "text-anchor": "middle" }, count(step)));
      });
      ticks(offsetAt(now[1] + now[3]), offsetAt(now[1]), 7, true).forEach(function (offset) {
        var y = outY(yOf(offset));
        beside.appendChild(element("line", { x1: full[0] - 5, x2: full[0], y1: y, y2: y, "class": "frame" }));
        beside.appendChild(element("text", { x: full[0] - 8, y: y + 4, "class": "soft", "text-anchor": "end" }, bytes(offset)));
      });
      drawn = drawn || boxesOfPage();
      drawn.concat(extra).forEach(function (box) { if (named < MOST_NAMES && isSeen(box)) named += name(box); });
    }
    function schedule() {
      if (!isDue) requestAnimationFrame(draw);
      isDue = true;
    }
    function within(axis) {
      now[axis] = Math.min(Math.max(now[axis], full[axis]), full[axis] + full[axis + 2] - now[axis + 2]);
    }
    function zoom(factor, shareX, shareY) {
      [[0, shareX], [1, shareY]].forEach(function (axis) {
        var size = factor ? now[axis[0] + 2] / factor : full[axis[0] + 2];
        size = Math.max(Math.min(size, full[axis[0] + 2]), full[axis[0] + 2] / DEEPEST);
        now[axis[0]] += (now[axis[0] + 2] - size) * axis[1];
        now[axis[0] + 2] = size;
        within(axis[0]);
      });
      schedule();
    }
    function share(event) {
      // The view's own box is what is drawn, which may reach beyond it.
      var page = view.ownerSVGElement, place = page.getBoundingClientRect(), scale = page.viewBox.baseVal.width / place.width;
      return [((event.clientX - place.left) * scale - full[0]) / full[2], ((event.clientY - place.top) * scale - full[1]) / full[3]];
    }
    view.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      var at = share(event);
      zoom(Math.pow(2, -Math.max(-200, Math.min(200, event.deltaY)) / 200), at[0], at[1]);
    }, { passive: false });
    view.addEventListener("dblclick", function (event) {
      var at = share(event);
      event.preventDefault();
      zoom(2, at[0], at[1]);
    });
    view.addEventListener("pointerdown", function (event) {
      if (isCloser() && event.button === 0) drag = { from: share(event), at: now.slice() };
    });
    window.addEventListener("pointermove", function (event) {
      if (!drag) return;
      var at = share(event);
      [0, 1].forEach(function (axis) {
        now[axis] = drag.at[axis] - (at[axis] - drag.from[axis]) * now[axis + 2];
        within(axis);
      });
      schedule();
    });
    window.addEventListener("pointerup", function () { drag = null; });
    panels.push(zoom);
  }
  document.querySelectorAll("g.panel").forEach(Panel);
  document.querySelectorAll("[data-zoom]").forEach(function (button) {
    button.addEventListener("click", function () {
      panels.forEach(function (zoom) { zoom(Number(button.getAttribute("data-zoom")), 0.5, 0.5); });
    });
  });
})();
)js";

std::string zoomScript() {
  return std::string("<script>") + kScript + "</script>\n";
}

} // namespace tpu_mlir::report
