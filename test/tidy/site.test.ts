import { expect, test } from "vitest";
import { searchEntries, sitePages } from "../../scripts/site.ts";
import { sitePage } from "../../scripts/site-page.ts";
import { findSections } from "../../scripts/site-search.ts";

const pages = sitePages();

test("every page of the documentation has a title, and every link within it leads to a page and a heading that exist", () => {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  expect(pages.filter(({ title, source }) => title === source)).toEqual([]);
  const broken = pages.flatMap(({ source, links }) =>
    links.flatMap(({ path, anchor }) => {
      const sections = byPath.get(path)?.sections ?? [];
      const leads = anchor === "" || sections.some((section) => section.anchor === anchor);
      return leads ? [] : [`${source} → ${path}#${anchor}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("the site's search finds sections by all words, those with a word in a heading first", () => {
  const entries = searchEntries(pages);
  const found = findSections(entries, "server asks you");
  expect(found[0]).toMatchObject({ path: "mcp.html", heading: "When a server asks you" });
  expect(findSections(entries, "webhook signature").length).toBeGreaterThan(0);
  expect(findSections(entries, "webhook xyzzy")).toEqual([]);
});

test("a page of the site holds no HTML of its source", () => {
  const page = sitePage(
    "docs/a.md",
    "# <b>A</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) `<i>`\n",
    new Set(),
  );
  expect(page.html).not.toMatch(/<script|<b>|<i>|href="javascript/u);
});
