import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { markdownOfHtml } from "../export/from-html.ts";

/** Elements that only rich text has: what a code editor copies is words in a frame. */
const isRich = /<(?:h[1-6]|b|strong|i|em|ul|ol|table|a|img|blockquote|pre|del)[\s>]/iu;
/** Rich text beyond this is pasted as plain words. UTF-16 units. */
const htmlMax = 5_000_000;

/** Pastes rich text as Markdown; with Shift, and from an editor of code, its plain words. */
export function richPaste(): Extension {
  let isPlain = false;
  return EditorView.domEventHandlers({
    keydown(event) {
      isPlain = event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";
      return false;
    },
    paste(event, view) {
      const html = event.clipboardData?.getData("text/html") ?? "";
      const words = event.clipboardData?.getData("text/plain") ?? "";
      const takesPlain = isPlain || view.state.readOnly || html.length > htmlMax || !isRich.test(html);
      isPlain = false;
      // Editors of code say so; their colours mean nothing in a text.
      if (takesPlain || event.clipboardData?.types.includes("vscode-editor-data") === true) return false;
      event.preventDefault();
      const put = (text: string): void => {
        if (!view.dom.isConnected) return;
        view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
      };
      // What cannot be read as rich text still has its words.
      void markdownOfHtml(html).then(put, () => put(words));
      return true;
    },
  });
}
