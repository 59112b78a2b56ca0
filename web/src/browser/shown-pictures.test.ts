import { expect, test } from "vitest";
import { pictureType } from "./shown-pictures.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

test("17.6 the bytes say what a picture is, whatever its name says", () => {
  expect(pictureType(bytes("\u0089PNG\r\n\u001a\n"))).toBe("image/png");
  expect(pictureType(bytes("\u00ff\u00d8\u00ff\u00e0"))).toBe("image/jpeg");
  expect(pictureType(bytes("RIFF1234WEBPVP8 "))).toBe("image/webp");
  expect(pictureType(bytes('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">'))).toBe("image/svg+xml");
  for (const other of ["<html><svg></svg></html>", "RIFF1234WAVE", "%PDF-1.7", "", "<svgx>"])
    expect(pictureType(bytes(other)), other).toBeNull();
});
