//===- Page.cpp - Parts of HTML pages -------------------------------------===//

#include "lib/Report/Drawing/Page.h"

#include "lib/Report/Drawing/Svg.h"

namespace tpu_mlir::report {

static const char *const kPageStyle = R"css(
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d8dee4;--tint:#f3f5f8;--accent:#0072b2}
@media screen and (prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e6edf3;--soft:#9aa4af;--rule:#2c333b;--tint:#1d232a;--accent:#56b4e9}}
*{box-sizing:border-box}
body{margin:0 auto;padding:28px 24px 48px;max-width:1260px;background:var(--page);color:var(--ink);font:14px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:22px;margin:0 0 2px;overflow-wrap:anywhere}
h2{font-size:16px;margin:28px 0 8px}
p{margin:0 0 14px}
.quiet{color:var(--soft)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
th,td{padding:4px 14px 4px 0;text-align:left;border-bottom:1px solid var(--rule);white-space:nowrap}
th{font-weight:600;color:var(--soft)}
.n{text-align:right}
td.name{max-width:420px;overflow:hidden;text-overflow:ellipsis}
.bar{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:10px 22px;align-items:center;margin:18px 0 6px;padding:8px 0;background:var(--page);border-bottom:1px solid var(--rule)}
.bar input{font:inherit;color:inherit;background:var(--tint);border:1px solid var(--rule);border-radius:6px;padding:5px 10px;width:240px}
.bar input:focus{outline:2px solid var(--accent);outline-offset:1px}
.key{display:inline-flex;align-items:center;gap:6px;color:var(--soft)}
.key svg{width:22px;height:12px;flex:none}
#told{min-height:1.5em;margin:4px 0;overflow-wrap:anywhere}
figure{margin:0}
figure>svg{display:block;width:100%;height:auto}
svg.searching .b:not(.found){opacity:.13}
svg.searching .label{opacity:.13}
tr[data-b]:hover,tr.hot{background:var(--tint)}
tr.gone{display:none}
th button{all:unset;cursor:pointer}
th button:hover,th button:focus-visible{text-decoration:underline}
@media print{
body{max-width:none;padding:0;font-size:11px}
.wide{overflow:visible}
th,td{white-space:normal;padding:2px 8px 2px 0}
td.name{max-width:none;overflow-wrap:anywhere}
.screen{display:none}
.bar input,#told{display:none}
.bar{position:static;border:0}
tr.gone{display:table-row}
svg.searching .b:not(.found),svg.searching .label{opacity:1}
figure,tr{break-inside:avoid}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
)css";

static const char *const kPageScript = R"js(
"use strict";
(function () {
  var told = document.getElementById("told"), search = document.getElementById("search");
  var plans = document.querySelectorAll("figure>svg"), count = document.getElementById("count");
  var parts = new Map();
  document.querySelectorAll("[data-b]").forEach(function (part) {
    var id = part.getAttribute("data-b");
    if (!parts.has(id)) parts.set(id, []);
    parts.get(id).push(part);
  });
  function text(part) {
    var title = part.querySelector("title");
    return title ? title.textContent : part.getAttribute("data-t") || "";
  }
  function name(part) { return text(part).split("\n")[0]; }
  function mark(id, on) {
    (parts.get(id) || []).forEach(function (part) { part.classList.toggle("hot", on); });
  }
  function partOf(event) { return event.target.closest ? event.target.closest("[data-b]") : null; }
  document.addEventListener("mouseover", function (event) {
    var part = partOf(event);
    if (!part) return;
    mark(part.getAttribute("data-b"), true);
    told.textContent = text(part).split("\n").join(" \u00b7 ");
  });
  document.addEventListener("mouseout", function (event) {
    var part = partOf(event);
    if (part) mark(part.getAttribute("data-b"), false);
  });
  search.addEventListener("input", function () {
    var wanted = search.value.trim().toLowerCase(), found = 0;
    plans.forEach(function (plan) { plan.classList.toggle("searching", wanted !== ""); });
    parts.forEach(function (group) {
      var hit = wanted !== "" && name(group[0]).toLowerCase().indexOf(wanted) >= 0;
      if (hit) found += 1;
      group.forEach(function (part) {
        part.classList.toggle("found", hit);
        if (part.tagName === "TR") part.classList.toggle("gone", wanted !== "" && !hit);
      });
    });
    count.textContent = wanted === "" ? "" : found + " " + search.getAttribute("data-thing") + (found === 1 ? "" : "s");
  });
  document.querySelectorAll("th button").forEach(function (button) {
    var up = false;
    button.addEventListener("click", function () {
      var column = button.parentNode.cellIndex, body = button.closest("table").tBodies[0];
      up = !up;
      Array.from(body.rows).map(function (row) {
        var cell = row.cells[column], number = cell.getAttribute("data-v");
        return { row: row, key: number === null ? cell.textContent : Number(number) };
      }).sort(function (a, b) {
        return (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (up ? 1 : -1);
      }).forEach(function (entry) { body.appendChild(entry.row); });
    });
  });
})();
)js";

std::string cell(const std::string &content) {
  return "<td>" + escaped(content) + "</td>";
}
/// A number, with what a click on the heading sorts by.
std::string numberCell(const std::string &shown, int64_t value) {
  return "<td class=\"n\" data-v=\"" + std::to_string(value) + "\">" +
         escaped(shown) + "</td>";
}
std::string heading(const char *name, bool isNumber, bool canSort) {
  const std::string shown =
      canSort ? std::string("<button type=\"button\">") + name + "</button>"
              : std::string(name);
  return std::string("<th scope=\"col\"") + (isNumber ? " class=\"n\"" : "") +
         ">" + shown + "</th>";
}

std::string key(const std::string &mark, const std::string &label) {
  return "<span class=\"key\"><svg class=\"plan\" aria-hidden=\"true\">" +
         mark + "</svg>" + escaped(label) + "</span>\n";
}

std::string pageHead(const std::string &title, const std::string &kind,
                     const std::string &subtitle) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n"
         "<title>" +
         escaped(title + kind) + "</title>\n<style>" + kPageStyle +
         drawingStyle() + "</style>\n</head>\n<body>\n<h1>" + escaped(title) +
         "</h1>\n<p class=\"quiet\">" + escaped(subtitle) + "</p>\n";
}

std::string pageBar(const std::string &legend, const std::string &thing) {
  return "<div class=\"bar\"><input id=\"search\" type=\"search\" "
         "data-thing=\"" +
         thing + "\" placeholder=\"Find a " + thing +
         "\" aria-label=\"Find a " + thing +
         "\">"
         "<span id=\"count\" class=\"quiet\" aria-live=\"polite\"></span>\n" +
         legend +
         "</div>\n<p id=\"told\" class=\"quiet\">Point at a rectangle or a "
         "row.</p>\n";
}

std::string pageFoot() {
  return std::string("<script>") + kPageScript +
         "</script>\n</body>\n</html>\n";
}

} // namespace tpu_mlir::report
