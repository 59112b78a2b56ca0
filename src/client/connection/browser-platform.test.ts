import { expect, test, vi } from "vitest";
import { browserPlatform } from "./browser-platform.ts";

test("a page tries to reconnect when it is online, has the focus, is shown again or becomes visible", () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  try {
    let tries = 0;
    const stop = browserPlatform.onOnline(() => (tries += 1));
    const names = ["online", "focus", "pageshow", "visibilitychange"];
    for (const name of names) page.dispatchEvent(new Event(name));
    expect(tries).toBe(names.length);
    stop();
    page.dispatchEvent(new Event("focus"));
    expect(tries).toBe(names.length);
  } finally {
    vi.unstubAllGlobals();
  }
});
