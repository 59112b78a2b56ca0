import { expect, test } from "vitest";
import { pictureBytesMax, pictureName, refusedPicture } from "./picture-names.ts";

test("17.6 a picture's name is safe as a file, and another attempt is another name", () => {
  expect(pictureName("../a b?.png", 0)).toBe("-a b-.png");
  expect(pictureName("a.png", 1)).toBe("a-2.png");
  expect(pictureName("...", 0)).toBe("picture");
});

test("17.6 what is too large or no picture is refused with what to do", () => {
  const picture = new Blob([]);
  expect(refusedPicture({ name: "a.png", size: pictureBytesMax }, picture)).toBeNull();
  expect(refusedPicture({ name: "a.png", size: pictureBytesMax + 1 }, picture)).toContain("Make it smaller");
  expect(refusedPicture({ name: "a.doc", size: 1 }, null)).toContain("not a picture");
});
