import { expect, test } from "vitest";
import { accept } from "../../core/base/result.test-support.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { ServerViews, viewPolicy } from "./server-views.ts";

const page = { uri: "ui://a", mediaType: "text/html;profile=mcp-app", content: { text: "<p>warp</p>" } };

test("a view is served once, under an address that ends after a minute", async () => {
  const clock = simulatedClock();
  const views = new ServerViews({ clock, random: seededRandom(1) });
  const first = accept(views.add([page]));
  const second = accept(views.add([page]));
  expect(first).not.toBe(second);
  expect(views.take(first)?.html).toBe("<p>warp</p>");
  expect(views.take(first)).toBeNull();
  await clock.advance(60_000);
  expect(views.take(second)).toBeNull();
  expect(views.take("/view/")).toBeNull();
});

test.each([
  [[]],
  [[{ ...page, mediaType: "text/html" }]],
  [[{ ...page, content: { data: "PGI+" } }]],
  [[{ ...page, content: { text: "x".repeat(4 * 1024 * 1024 + 1) } }]],
])("what is no view of the protocol is not shown", (contents) => {
  const views = new ServerViews({ clock: simulatedClock(), random: seededRandom(1) });
  expect(views.add(contents)).toMatchObject({ ok: false, error: { code: "TOOL_FAILED" } });
});

test("a view's policy names the origins that its server declared, and nothing that is no origin", () => {
  const evil = ["'unsafe-eval'", "https://a.example; script-src *", "http://a.example", "https://*", "*", "data:"];
  const policy = viewPolicy({
    connect: ["https://api.example", ...evil],
    load: ["https://*.cdn.example:8443", ...evil],
  });
  expect(policy).toContain("connect-src https://api.example;");
  expect(policy).toContain("img-src data: blob: https://*.cdn.example:8443;");
  expect(policy).not.toMatch(/eval|a\.example|http:|\s\*|https:\/\/\*[^.]/u);
  expect(viewPolicy()).toContain("connect-src 'none'");
  expect(viewPolicy()).toMatch(/^sandbox allow-scripts;/u);
  expect(viewPolicy()).not.toContain("allow-same-origin");
});
