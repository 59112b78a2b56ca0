import { expect, test } from "vitest";
import { htmlOf, htmlPage } from "./to-html.ts";

test("17.7 Markdown is written as HTML, block by block", () => {
  const id = "ab".repeat(32);
  const text = `# Plan\n\nSome **bold** and \`<code>\`.\n\n- [x] done\n- two\n\n3. c\n\n> said\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n![The house|300](blob:${id})\n\n\`\`\`js\na < b\n\`\`\``;
  const html = htmlOf(text, () => "data:image/png;base64,AA==");
  for (const piece of [
    "<h1>Plan</h1>",
    "<p>Some <strong>bold</strong> and <code>&lt;code&gt;</code>.</p>",
    '<li><input type="checkbox" disabled checked> done</li>',
    '<ol start="3">',
    "<blockquote>\n<p>said</p>\n</blockquote>",
    '<th align="left">a</th>',
    '<td align="right">2</td>',
    '<img src="data:image/png;base64,AA==" alt="The house" width="300">',
    '<pre><code class="language-js">a &lt; b</code></pre>',
  ])
    expect(html).toContain(piece);
  expect(htmlOf(`![x](blob:${id})`)).toBe("<p>[picture: x]</p>");
});

test("17.7 nothing that a text holds becomes an element, an attribute or a script of the page", () => {
  const hostile = `<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![" onerror="alert(1)](https://e.org/"x)\n\n\`\`\`"><script>\nx\n\`\`\``;
  const html = htmlPage('"</title><script>alert(1)</script>', hostile);
  expect(html).not.toMatch(/<script/iu);
  expect(html).not.toMatch(/href="javascript/iu);
  expect(html).not.toMatch(/<[^>]*\sonerror=/iu);
});
