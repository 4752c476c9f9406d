"""The Markdown of this project's documents as HTML: headings, paragraphs, lists, tables, fenced code, quotes, emphasis, links.

What else Markdown may say is text. HTML is text, too, but for the tables that mlir-tblgen writes.
"""
import html
import re

FENCE = re.compile(r"^ {0,3}```(.*)$")
HEADING = re.compile(r"^(#{1,6}) +(.*?) *#*$")
ITEM = re.compile(r"^( *)([-*]|\d+\.) +(.*)$")
RULE = re.compile(r"^\|?[ :|-]*-[ :|-]*$")
TABLE_OF_TBLGEN = ("<table>", "</table>", "<tr>")
ALLOWED = re.compile(r"&lt;(/?(?:table|tr|th|td|code))&gt;")
INLINE = re.compile(r"""(?P<code>`+)(?P<coded>.+?)(?P=code)(?!`)
  | !\[(?P<picture>[^\]]*)\]\((?P<source>[^)\s]+)\)
  | \[(?P<text>(?:[^\[\]`]|`[^`]*`|\[[^\[\]]*\])*)\]\((?P<target>[^)\s]+)\)
  | \*\*(?P<strong>\S(?:.*?\S)?)\*\*
  | (?<![\w*])\*(?P<stress>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])
  | (?<![\w_])_(?P<other_stress>[^\s_](?:[^_]*[^\s_])?)_(?![\w_])
  | \\(?P<escaped>[\\`*_{}\[\]()#+.!|<>-])
  """, re.VERBOSE)


def anchor(heading):
    """The name under which a heading can be linked to."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def plain(text):
    """A line without its marks."""
    def unmarked(match):
        for name in ("coded", "picture", "text", "strong", "stress", "other_stress", "escaped"):
            if match.group(name) is not None:
                return match.group(name) if name in ("coded", "escaped") else plain(match.group(name))
        return ""
    return INLINE.sub(unmarked, text)


class Converter:
    """One document. `link(target)` gives the address of a link, None where it leads nowhere; `name_of(target)` what stands
    where the text of a link is no more than the name of its file."""

    def __init__(self, link, name_of=lambda target: None):
        self.link, self.name_of = link, name_of
        self.anchors = {}
        self.sections = []  # (level, heading, anchor, text) in order, the text without marks.

    def convert(self, text):
        self.lines = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL).split("\n")
        self.at = 0
        return self._blocks(lambda line: False)

    def _note(self, text):
        if self.sections and text:
            self.sections[-1][3].append(text)

    def _inline(self, text):
        result, end = [], 0
        for match in INLINE.finditer(text):
            result.append(html.escape(text[end:match.start()], quote=False))
            result.append(self._marked(match))
            end = match.end()
        return "".join(result) + html.escape(text[end:], quote=False)

    def _marked(self, match):
        if match.group("coded") is not None:
            return "<code>%s</code>" % html.escape(match.group("coded"), quote=False)
        if match.group("source"):
            source = self.link(match.group("source")) or match.group("source")
            return '<img src="%s" alt="%s">' % (html.escape(source), html.escape(match.group("picture")))
        if match.group("target"):
            target, text = match.group("target"), match.group("text")
            if text == target.partition("#")[0].rpartition("/")[2]:
                text = self.name_of(target) or text
            target, text = self.link(target), self._inline(text)
            return '<a href="%s">%s</a>' % (html.escape(target), text) if target else "<span>%s</span>" % text
        if match.group("strong"):
            return "<strong>%s</strong>" % self._inline(match.group("strong"))
        if match.group("escaped"):
            return html.escape(match.group("escaped"), quote=False)
        return "<em>%s</em>" % self._inline(match.group("stress") or match.group("other_stress"))

    def _blocks(self, is_end):
        blocks = []
        while self.at < len(self.lines) and not is_end(self.lines[self.at]):
            line = self.lines[self.at]
            if not line.strip() or line.strip() == "[TOC]":
                self.at += 1
            elif FENCE.match(line):
                blocks.append(self._fence())
            elif HEADING.match(line):
                blocks.append(self._heading())
            elif ITEM.match(line):
                blocks.append(self._list())
            elif line.startswith(">"):
                blocks.append(self._quote())
            elif line.startswith("    "):
                blocks.append(self._indented())
            elif line.startswith(TABLE_OF_TBLGEN):
                blocks.append(self._foreign_table())
            elif line.lstrip().startswith("|") and self._is_table():
                blocks.append(self._table())
            else:
                blocks.append(self._paragraph(is_end))
        return "\n".join(blocks)

    def _heading(self):
        marks, heading = HEADING.match(self.lines[self.at]).groups()
        self.at += 1
        level, name = len(marks), anchor(plain(heading))
        count = self.anchors[name] = self.anchors.get(name, -1) + 1
        if count:
            name += "-%d" % count
        if level <= 3 or not self.sections:
            self.sections.append((level, plain(heading), name, []))
        else:
            self._note(plain(heading))
        return '<h%d id="%s">%s<a class="here" href="#%s" aria-label="link to this section">#</a></h%d>' % (
            level, name, self._inline(heading), name, level)

    def _code(self, lines):
        text = "\n".join(lines)
        self._note(text)
        return "<pre><code>%s</code></pre>" % html.escape(text, quote=False)

    def _fence(self):
        self.at += 1
        lines = []
        while self.at < len(self.lines) and not FENCE.match(self.lines[self.at]):
            lines.append(self.lines[self.at])
            self.at += 1
        self.at += 1
        return self._code(lines)

    def _indented(self):
        lines = []
        while self.at < len(self.lines) and (self.lines[self.at].startswith("    ") or not self.lines[self.at].strip()):
            lines.append(self.lines[self.at][4:])
            self.at += 1
        while lines and not lines[-1]:
            lines.pop()
        return self._code(lines)

    def _quote(self):
        lines = []
        while self.at < len(self.lines) and self.lines[self.at].startswith(">"):
            lines.append(self.lines[self.at].lstrip("> "))
            self.at += 1
        self._note(plain(" ".join(lines)))
        return "<blockquote><p>%s</p></blockquote>" % self._inline(" ".join(lines))

    def _list(self):
        indent, mark, _ = ITEM.match(self.lines[self.at]).groups()
        kind = "ol" if mark[0].isdigit() else "ul"
        items = []
        while self.at < len(self.lines):
            match = ITEM.match(self.lines[self.at])
            if not match or match.group(1) != indent or (match.group(2)[0].isdigit()) != (kind == "ol"):
                break
            inside = len(match.group(1)) + len(match.group(2)) + 1
            self.lines[self.at] = " " * inside + match.group(3)
            items.append("<li>%s</li>" % self._item(inside))
        return "<%s>\n%s\n</%s>" % (kind, "\n".join(items), kind)

    def _item(self, inside):
        """The lines that belong to an item, as a document of their own."""
        own, begin = [], self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
            depth = len(line) - len(line.lstrip())
            if line.strip() and depth < inside and (ITEM.match(line) or self.at > begin and not own[-1].strip()):
                break
            if line.strip() and depth < inside and (HEADING.match(line) or FENCE.match(line) or line.startswith("|")):
                break
            if not line.strip() and len(following) - len(following.lstrip()) < inside:
                break
            own.append(line[min(depth, inside):])
            self.at += 1
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1
        outer = self.lines, self.at
        self.lines, self.at = own, 0
        text = self._blocks(lambda line: False)
        self.lines, self.at = outer
        only = re.fullmatch(r"<p>(.*?)</p>((?:\n<[uo]l>.*)?)", text, re.DOTALL)
        return only.group(1) + only.group(2) if only and "<p>" not in only.group(1) else text

    def _foreign_table(self):
        lines = []
        while self.at < len(self.lines) and self.lines[self.at].startswith(TABLE_OF_TBLGEN):
            lines.append(self.lines[self.at])
            self.at += 1
        self._note(re.sub(r"<[^>]*>", " ", " ".join(lines)))
        # tblgen escapes what stands in the cells.
        escaped = html.escape(html.unescape("\n".join(lines)), quote=False)
        return '<div class="wide">%s</div>' % ALLOWED.sub(r"<\1>", escaped)

    def _is_table(self):
        return self.at + 1 < len(self.lines) and RULE.match(self.lines[self.at + 1].strip()) is not None

    @staticmethod
    def _cells(line):
        line = line.strip()
        line = line[1:] if line.startswith("|") else line
        line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
        # A bar within code does not end a cell.
        cells = re.findall(r"(?:\\.|`[^`]*`|[^|`\\]|`)*(?:\||$)", line)
        cells = [cell[:-1] if cell.endswith("|") and not cell.endswith("\\|") else cell for cell in cells]
        if len(cells) > 1 and not line.endswith("|") and not cells[-1]:
            cells.pop()
        return [cell.strip() for cell in cells]

    def _table(self):
        heading, rule = self._cells(self.lines[self.at]), self._cells(self.lines[self.at + 1])
        styles = [' class="right"' if cell.endswith(":") and not cell.startswith(":") else "" for cell in rule]
        self.at += 2
        rows = []
        while self.at < len(self.lines) and self.lines[self.at].lstrip().startswith("|"):
            rows.append(self._cells(self.lines[self.at]))
            self.at += 1
        self._note(" ".join(plain(cell) for row in [heading] + rows for cell in row))

        def line(cells, tag):
            pairs = zip(cells, styles + [""] * len(cells))
            return "<tr>%s</tr>" % "".join("<%s%s>%s</%s>" % (tag, style, self._inline(cell), tag) for cell, style in pairs)
        head = "<thead>%s</thead>" % line(heading, "th") if any(heading) else ""
        body = "\n".join(line(row, "td") for row in rows)
        return '<div class="wide"><table>%s<tbody>\n%s\n</tbody></table></div>' % (head, body)

    def _paragraph(self, is_end):
        lines = []
        while self.at < len(self.lines) and self.lines[self.at].strip() and not is_end(self.lines[self.at]):
            line = self.lines[self.at]
            if lines and (FENCE.match(line) or HEADING.match(line) or ITEM.match(line) or line.startswith(TABLE_OF_TBLGEN) or
                          line.lstrip().startswith("|") and self._is_table()):
                break
            lines.append(line.strip())
            self.at += 1
        self._note(plain(" ".join(lines)))
        return "<p>%s</p>" % self._inline(" ".join(lines))
