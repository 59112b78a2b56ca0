import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import Turndown from "turndown";
import { markdownOfElement } from "./from-html.ts";

function markdown(html: string): string {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  return markdownOfElement(document.body, Turndown);
}

test("17.7 rich text becomes Markdown: headings, lists, tables, code, boxes", () => {
  expect(markdown("<h2>Plan</h2><p>Some <b>bold</b>, <i>lean</i>, <del>gone</del> and <code>x</code>.</p>")).toBe(
    "## Plan\n\nSome **bold**, _lean_, ~~gone~~ and `x`.",
  );
  expect(markdown("<ul><li>one</li><li>two</li></ul>")).toMatch(/^- +one\n- +two$/u);
  expect(markdown("<table><tr><td>a|b</td><td>c</td></tr><tr><td>1<br>2</td></tr></table>")).toBe(
    "| a\\|b | c |\n| --- | --- |\n| 1 2 |  |",
  );
  expect(markdown('<pre><code class="language-js">a &lt; b\n</code></pre>')).toBe("```js\na < b\n```");
  expect(markdown('<li><input type="checkbox"> open</li>')).toContain("[ ]");
});

test.each([
  // GitHub colours the words of a block that has no `code`.
  [
    '<div class="highlight highlight-source-js"><pre><span class="pl-k">const</span> x <span>=</span> a<span>*</span>b; // *x*\n  y_\n</pre></div>',
    "```js\nconst x = a*b; // *x*\n  y_\n```",
  ],
  ["<p>before</p><pre>- a\n  # b</pre><p>after</p>", "before\n\n```\n- a\n  # b\n```\n\nafter"],
  ["<pre>one<br>two</pre>", "```\none\ntwo\n```"],
  ['<pre><code class="language-md">```js\nx\n```</code></pre>', "````md\n```js\nx\n```\n````"],
])("17.7 preformatted text is code, however it is marked up: %j", (html, expected) => {
  expect(markdown(html)).toBe(expected);
});

test("17.7 what other editors call bold is bold, and their frames are none", () => {
  expect(markdown('<b data-style="font-weight:normal"><span data-style="font-weight:700">big</span> word</b>')).toBe(
    "**big** word",
  );
});

test("17.7 pictures keep addresses of the web and of uploads; bytes inside a page leave their words", () => {
  expect(markdown('<img src="https://e.org/a.png" alt="a [b]">')).toBe("![a  b ](https://e.org/a.png)");
  expect(markdown('<img src="data:image/png;base64,AA" alt="logo">')).toBe("logo");
});

test("17.7 words that look like Markdown stay words, and no bracket becomes a formula", () => {
  expect(markdown("<p>a * b, snake_case, _x</p>")).toBe(String.raw`a \* b, snake_case, \_x`);
  expect(markdown("<p># no heading</p><p>1. no list</p>")).toBe(
    String.raw`\# no heading` + "\n\n" + String.raw`1\. no list`,
  );
  expect(markdown("<p>[x](javascript:y) [1]</p>")).toBe("[x](javascript:y) [1]");
});
