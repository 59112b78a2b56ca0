import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { hueCount } from "../view/author-hue.ts";

// The editor lives in a shadow root, where its style sheets are constructed ones: the content security policy then needs
// no exception. Custom properties of the page reach into it.
const hues = Object.fromEntries(
  Array.from({ length: hueCount }, (_, hue) => [`.hue-${hue}`, { "--mark": `var(--hue-${hue})` }]),
);

export const editorLook = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "16px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--reading)", lineHeight: "26px", overflow: "auto", scrollbarWidth: "thin" },
  ".cm-scroller:focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-content": {
    padding: "48px 24px 40vh 10px",
    maxWidth: "46rem",
    caretColor: "var(--accent)",
    overflowWrap: "anywhere",
  },
  ".cm-line": { padding: "0 2px" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--ink-3)", paddingLeft: "8px" },
  ".cm-lineNumbers .cm-gutterElement": {
    fontFamily: "var(--mono)",
    fontSize: "11px",
    fontVariantNumeric: "tabular-nums",
    minWidth: "28px",
    padding: "0 8px 0 4px",
  },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--line-wash)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px", marginLeft: "-1px" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-searchMatch": {
    backgroundColor: "color-mix(in srgb, var(--warn) 28%, transparent)",
    outline: "none",
    borderRadius: "2px",
  },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--warn) 55%, transparent)" },
  ".cm-panels": { backgroundColor: "var(--ground)", color: "var(--ink)", border: "none" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "8px 12px", fontFamily: "var(--chrome)" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label": {
    fontSize: "13px",
    fontFamily: "var(--chrome)",
  },
  ".cm-textfield": {
    backgroundColor: "var(--paper)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    padding: "3px 8px",
    color: "var(--ink)",
  },
  ".cm-button": {
    backgroundColor: "var(--paper)",
    backgroundImage: "none",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    color: "var(--ink)",
    padding: "3px 8px",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--ink-2)", fontSize: "18px", width: "24px", height: "24px" },

  ...hues,
  ".by-model": {
    textDecoration: "underline dashed 1px color-mix(in srgb, var(--mark) 80%, transparent)",
    textUnderlineOffset: "5px",
    textDecorationSkipInk: "none",
  },
  ".by-person:not(.by-self), .by-model": { backgroundColor: "color-mix(in srgb, var(--mark) 7%, transparent)" },
  "&[data-authors=full] .by-person": {
    textDecoration: "underline solid 1px color-mix(in srgb, var(--mark) 80%, transparent)",
    textUnderlineOffset: "5px",
  },
  "&[data-authors=full] .by": { backgroundColor: "color-mix(in srgb, var(--mark) 17%, transparent)" },

  ".remote-selection": { backgroundColor: "color-mix(in srgb, var(--mark) 26%, transparent)" },
  ".remote-caret": {
    position: "relative",
    display: "inline",
    borderLeft: "2px solid var(--mark)",
    marginLeft: "-1px",
    marginRight: "-1px",
    wordBreak: "normal",
    pointerEvents: "none",
  },
  ".remote-caret.agent": { borderLeftStyle: "dashed" },
  ".remote-name": {
    position: "absolute",
    left: "-2px",
    bottom: "100%",
    padding: "0 5px",
    borderRadius: "4px 4px 4px 0",
    backgroundColor: "var(--mark)",
    color: "var(--paper)",
    font: "600 11px/16px var(--chrome)",
    whiteSpace: "nowrap",
    textDecoration: "none",
    zIndex: 3,
  },
  ".cm-line:first-child .remote-name": { bottom: "auto", top: "100%", borderRadius: "0 4px 4px 4px" },
});

export const highlightLook = HighlightStyle.define([
  { tag: tags.heading1, fontSize: "1.5em", fontWeight: "600", lineHeight: "1.5" },
  { tag: tags.heading2, fontSize: "1.22em", fontWeight: "600", lineHeight: "1.6" },
  { tag: tags.heading3, fontSize: "1.06em", fontWeight: "600" },
  { tag: [tags.heading4, tags.heading5, tags.heading6], fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.monospace, fontFamily: "var(--mono)", fontSize: "0.88em", color: "var(--code-ink)" },
  { tag: [tags.url, tags.link], color: "var(--accent)" },
  { tag: tags.quote, color: "var(--ink-2)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--ink-3)" },
  { tag: [tags.comment, tags.meta], color: "var(--ink-3)" },
]);
