// A page with CodeMirror on a text of Yjs, without a server.
import { EditorView, minimalSetup } from "codemirror";
import { yCollab } from "y-codemirror.next";
import * as Y from "yjs";

const text = new Y.Doc().getText("text");
globalThis.fillPeer = (content) => {
  text.insert(0, content);
  const view = new EditorView({
    doc: content,
    extensions: [minimalSetup, EditorView.lineWrapping, yCollab(text, null)],
    parent: document.body,
  });
  view.focus();
};
