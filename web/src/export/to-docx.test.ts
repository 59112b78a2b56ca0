import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { docxOf } from "./to-docx.ts";

/** Returns a file of a small archive, by its local header. */
function fileIn(archive: Buffer, name: string): string {
  for (let at = archive.indexOf("PK\u0003\u0004"); at !== -1; at = archive.indexOf("PK\u0003\u0004", at + 4)) {
    const nameLength = archive.readUInt16LE(at + 26);
    const begin = at + 30 + nameLength + archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + 30, at + 30 + nameLength) !== name) continue;
    const size = archive.readUInt32LE(at + 18);
    const bytes = archive.subarray(begin, begin + size);
    return (archive.readUInt16LE(at + 8) === 8 ? inflateRawSync(bytes) : bytes).toString("utf8");
  }
  throw new Error(`no ${name}`);
}

test("17.7 a document is written for Word: headings, lists, tables, links, code and pictures", async () => {
  const id = `blob:${"ab".repeat(32)}`;
  const text = `# Plan\n\nSome **bold** [link](https://example.org).\n\n3. third\n\n- [x] done\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n\`\`\`js\na < b\n\`\`\`\n\n![The house|300](${id}) ![gone](images/x.png)`;
  const picture = { type: "png", data: new ArrayBuffer(8), width: 600, height: 200 } as const;
  const blob = await docxOf("Plan", text, new Map([[id, picture]]));
  const archive = Buffer.from(await blob.arrayBuffer());
  const body = fileIn(archive, "word/document.xml");
  for (const piece of [
    'w:val="Heading1"',
    "<w:b/>",
    "w:hyperlink",
    "w:tblHeader",
    "☑ ",
    "a &lt; b",
    "[picture: gone]",
    "<w:drawing>",
  ])
    expect(body, piece).toContain(piece);
  expect(fileIn(archive, "word/numbering.xml")).toContain('<w:start w:val="3"/>');
  // 300 wide, in the shape of the picture: English metric units.
  expect(body).toContain('cx="2857500" cy="952500"');
});
