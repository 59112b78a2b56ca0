import { refusal, type Refusal } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/shortened.ts";
import { openingSection, type ListItem, type MarkdownOutline, type Section } from "./outline.ts";

/** A place in a Markdown text, given by its structure. Valid only for the revision from which it was read. */
export interface MarkdownAddress {
  /**
   * A section's number (`2.1`) or title, preceded by the titles around it when the title is ambiguous: `Guide > Install`.
   */
  readonly section?: string | undefined;
  /** An item's number in the section, from 1; `3.1` for an item within the third. Without a section: before all headings. */
  readonly listItem?: string | undefined;
}

/** The lines of an address: [fromLine, toLine), 0-based. */
export function resolveAddress(
  outline: MarkdownOutline,
  address: MarkdownAddress,
): Result<{ readonly fromLine: number; readonly toLine: number }, Refusal> {
  const section = address.section === undefined ? ok(undefined) : resolveSection(outline, address.section);
  if (!section.ok) return section;
  if (address.listItem === undefined) return ok(section.value ?? opening(outline));
  const within = section.value?.address ?? openingSection;
  const items = outline.listItems.filter((item) => item.section === within);
  const wanted = address.listItem.trim();
  const item = items.find((each) => each.address === wanted);
  if (item !== undefined) return ok(item);
  const message =
    items.length === 0
      ? `Section ${within} has no list items of its own; canvas_outline shows where items are.`
      : `Section ${within} has no list item ${wanted}; items count from 1, those within an item as 2.1.`;
  return err(
    refusal("ADDRESS_NOT_FOUND", { section: within, list_item: wanted, candidates: shownItems(items) }, message),
  );
}

function opening({ sections, lineCount }: MarkdownOutline): { readonly fromLine: number; readonly toLine: number } {
  return { fromLine: 0, toLine: sections[0]?.fromLine ?? lineCount };
}

/** Returns the section with a number or title; undefined for the text before the first heading. */
function resolveSection(outline: MarkdownOutline, wanted: string): Result<Section | undefined, Refusal> {
  const { sections } = outline;
  const named = sectionsNamed(sections, wanted);
  const [only] = named;
  if (only !== undefined && named.length === 1) return ok(only);
  if (only !== undefined) {
    const message = `${named.length} sections are called that; give the number of one.`;
    return err(refusal("ADDRESS_AMBIGUOUS", { section: wanted, candidates: shownSections(named) }, message));
  }
  const number = wanted.trim();
  if (number === openingSection) return ok(undefined);
  const numbered = sections.find(({ address }) => address === number);
  if (numbered !== undefined) return ok(numbered);
  const message = "There is no section of that title or number; choose one of the candidates, or read canvas_outline.";
  return err(refusal("ADDRESS_NOT_FOUND", { section: wanted, candidates: shownSections(sections) }, message));
}

/** Titles are compared exactly; heading marks before the last title give its level. */
function sectionsNamed(sections: readonly Section[], wanted: string): readonly Section[] {
  const whole = readTitle(wanted);
  const direct = sections.filter((section) => isCalled(section, whole));
  if (direct.length > 0) return direct;
  const titles = wanted.split(" > ").map(readTitle);
  const last = titles.at(-1);
  if (last === undefined || titles.length === 1) return [];
  return sections.filter((section) => {
    const around = section.path.slice(-titles.length, -1);
    return (
      isCalled(section, last) &&
      around.length === titles.length - 1 &&
      around.every((title, index) => title === titles[index]?.title)
    );
  });
}

interface WantedTitle {
  readonly level: number | undefined;
  readonly title: string;
}

function readTitle(text: string): WantedTitle {
  const trimmed = text.trim();
  const marks = /^#{1,6}(?=\s)/.exec(trimmed)?.[0].length;
  return { level: marks, title: trimmed.slice(marks ?? 0).trim() };
}

function isCalled(section: Section, { level, title }: WantedTitle): boolean {
  return section.title === title && (level === undefined || section.level === level);
}

const candidatesMax = 30;
const shownUnitsMax = 100;

function shownSections(sections: readonly Section[]): readonly string[] {
  return sections.slice(0, candidatesMax).map(({ address, title }) => `${address} ${shortened(title, shownUnitsMax)}`);
}

function shownItems(items: readonly ListItem[]): readonly string[] {
  return items.slice(0, candidatesMax).map(({ address, text }) => `${address} ${shortened(text, shownUnitsMax)}`);
}
