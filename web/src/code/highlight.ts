import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { languageNamed, loadParser } from "./languages.ts";

/** A stretch of code that has a class; what lies between is plain. */
export interface CodePart {
  readonly from: number;
  readonly to: number;
  readonly className: string;
}

/** Code beyond this is shown plain. UTF-16 units. */
const highlightMax = 200_000;

/** The classes of code, the same in replies and in the editor. */
export const codeClasses = [
  { tag: [tags.comment, tags.lineComment, tags.blockComment, tags.docComment], class: "tok-comment" },
  {
    tag: [
      tags.keyword,
      tags.modifier,
      tags.operatorKeyword,
      tags.controlKeyword,
      tags.definitionKeyword,
      tags.moduleKeyword,
      tags.self,
    ],
    class: "tok-keyword",
  },
  {
    tag: [tags.string, tags.special(tags.string), tags.character, tags.regexp, tags.attributeValue],
    class: "tok-string",
  },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], class: "tok-number" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], class: "tok-type" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.macroName,
      tags.standard(tags.variableName),
    ],
    class: "tok-name",
  },
  {
    tag: [tags.propertyName, tags.attributeName, tags.labelName, tags.definition(tags.propertyName)],
    class: "tok-property",
  },
  { tag: [tags.meta, tags.annotation, tags.processingInstruction], class: "tok-comment" },
  { tag: tags.inserted, class: "tok-inserted" },
  { tag: tags.deleted, class: "tok-deleted" },
];

const highlighter = tagHighlighter(codeClasses);

/** Returns the parts of code with their classes; null for an unknown language, and for more than a page should read. */
export async function highlighted(text: string, language: string): Promise<readonly CodePart[] | null> {
  const known = text.length > highlightMax ? null : languageNamed(language);
  const parser = known === null ? null : await loadParser(known);
  if (parser === null) return null;
  const parts: CodePart[] = [];
  highlightTree(parser.parse(text), highlighter, (from, to, className) => parts.push({ from, to, className }));
  return parts;
}
