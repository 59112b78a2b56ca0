import { expect, test } from "vitest";
import { mountHook } from "../render-hook.test-support.ts";
import { offeredItems, useOffered } from "./offered.ts";

test("17.14 the items of a menu are found while it is on the page, as it has them now", async () => {
  const ran: string[] = [];
  const item = (label: string, disabled = false) => ({ label, disabled, run: () => void ran.push(label) });
  const menu = await mountHook((label: string) => useOffered("Document", [item(label), item("Never", true)]));
  await menu.render("Print");
  await menu.render("Save");
  const [offer, ...others] = offeredItems();
  expect(others).toEqual([]);
  expect(offer?.group).toBe("Document");
  expect(offer?.items.map(({ label }) => label)).toEqual(["Save"]);
  offer?.items[0]?.run();
  expect(ran).toEqual(["Save"]);
  await menu.unmount();
  expect(offeredItems()).toEqual([]);
});
