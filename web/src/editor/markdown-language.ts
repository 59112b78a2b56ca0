import { defineLanguageFacet, Language, languageDataProp } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { GFM, parser } from "@lezer/markdown";
import { frontMatter } from "../markdown/front-matter.ts";
import { limits } from "../markdown/long-lines.ts";

/** Markdown with GitHub's additions, as the editor reads it. */
export function markdownLanguage(): Extension {
  const data = defineLanguageFacet({ commentTokens: { block: { open: "<!--", close: "-->" } } });
  const configured = parser.configure([
    GFM,
    limits,
    frontMatter,
    { props: [languageDataProp.add({ Document: data })] },
  ]);
  return new Language(data, configured, [], "markdown").extension;
}
