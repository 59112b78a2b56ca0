import { expect, test } from "vitest";
import { pictureAddress, pictureSource, readPictureWords, resolvedPath, withWidth } from "./picture.ts";

const id = "ab".repeat(32);

test("17.6 a picture's words have a caption and a width, which another width replaces", () => {
  expect(readPictureWords("The house|300")).toEqual({ caption: "The house", width: 300 });
  expect(readPictureWords("|300")).toEqual({ caption: "", width: 300 });
  expect(readPictureWords("yes | no")).toEqual({ caption: "yes | no", width: null });
  expect(readPictureWords("a|9999")).toEqual({ caption: "a|9999", width: null });
  expect(withWidth("The house|300", 412.4)).toBe("The house|412");
  expect(withWidth("The house", 3)).toBe("The house|40");
  expect(withWidth("The house|300", null)).toBe("The house");
});

test("17.6 only uploads and files beside the document are pictures; nothing of the web is loaded", () => {
  expect(pictureAddress(`blob:${id}`)).toEqual({ type: "blob", id });
  expect(pictureAddress("images/a%20b.png")).toEqual({ type: "file", path: "images/a b.png" });
  for (const address of [
    "https://example.org/a.png",
    "data:image/png;base64,AA",
    "//host/a.png",
    "/etc/a.png",
    "",
    "javascript:alert(1)",
    "blob:https://x/1",
    "%",
  ])
    expect(pictureAddress(address), address).toBeNull();
});

test("17.6 a path is resolved beside its document and never leads out of the folder", () => {
  expect(resolvedPath("notes/today.md", "images/a.png")).toBe("notes/images/a.png");
  expect(resolvedPath("notes/today.md", "../a.png")).toBe("a.png");
  expect(resolvedPath("notes/today.md", "../../a.png")).toBeNull();
  expect(resolvedPath("today.md", "./.")).toBeNull();
});

test("17.6 what is inserted is read as the same picture, whatever its name", () => {
  const source = pictureSource("a] b|c\n", "images/my (1) photo.png");
  expect(source).toBe("![a  b c](images/my%20%281%29%20photo.png)");
  expect(pictureAddress("images/my%20%281%29%20photo.png")).toEqual({ type: "file", path: "images/my (1) photo.png" });
});
