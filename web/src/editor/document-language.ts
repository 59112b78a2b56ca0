import { defineLanguageFacet, Language, languageDataProp } from "@codemirror/language";
import { Compartment, type Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";
import type { Parser } from "@lezer/common";
import { GFM, parseCode, parser } from "@lezer/markdown";
import { type CodeLanguage, languageNamed, languageOfFile, loadedParser, loadParser } from "../code/languages.ts";
import { answerSyntax } from "../markdown/answer-syntax.ts";
import { frontMatter } from "../markdown/front-matter.ts";
import { limits, readMax } from "../markdown/long-lines.ts";

/** Code beyond this is shown plain. UTF-16 units. */
const codeMax = 2_000_000;

/**
 * How a text is read: Markdown with GitHub's additions, formulas and the code in its fences; or code by the file's name. A
 * grammar that is not there yet is loaded, and the text is read again.
 */
export function documentLanguage({ markdown, path }: { markdown: boolean; path: string | null }): Extension {
  const compartment = new Compartment();
  const awaited = new Set<CodeLanguage>();
  let shown: EditorView | null = null;
  const parserOf = (language: CodeLanguage): Parser | null => {
    const there = loadedParser(language);
    if (there === null && !awaited.has(language)) {
      awaited.add(language);
      void loadParser(language).then((found) => {
        if (found !== null) shown?.dispatch({ effects: compartment.reconfigure(current(shown.state.doc.length)) });
      });
    }
    return there;
  };
  const current = (length: number): Extension => {
    if (markdown) return markdownWith((name) => parserOfFence(name, parserOf));
    const language = path === null || length > codeMax ? null : languageOfFile(path);
    const found = language === null ? null : parserOf(language);
    return found === null ? [] : new Language(defineLanguageFacet(), found, [], language?.name).extension;
  };
  const follow = ViewPlugin.define((view) => {
    shown = view;
    // Read again now that the length of the text is known.
    if (!markdown && !hasLongLine(view))
      queueMicrotask(() => shown?.dispatch({ effects: compartment.reconfigure(current(view.state.doc.length)) }));
    return { destroy: () => (shown = null) };
  });
  return [compartment.of(markdown ? current(0) : []), follow];
}

function parserOfFence(info: string, parserOf: (language: CodeLanguage) => Parser | null): Parser | null {
  const language = languageNamed(info.split(/[\s{]/u)[0] ?? "");
  return language === null ? null : parserOf(language);
}

function hasLongLine({ state }: EditorView): boolean {
  for (const line of state.doc.iterLines()) if (line.length > readMax) return true;
  return false;
}

function markdownWith(codeParser: (info: string) => Parser | null): Extension {
  const data = defineLanguageFacet({ commentTokens: { block: { open: "<!--", close: "-->" } } });
  const configured = parser.configure([
    GFM,
    limits,
    frontMatter,
    answerSyntax,
    parseCode({ codeParser }),
    { props: [languageDataProp.add({ Document: data })] },
  ]);
  return new Language(data, configured, [], "markdown").extension;
}
