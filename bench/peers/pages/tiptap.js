// A page with Tiptap, a ProseMirror, on a document of Yjs, without a server.
import { Editor } from "@tiptap/core";
import { Collaboration } from "@tiptap/extension-collaboration";
import { StarterKit } from "@tiptap/starter-kit";
import * as Y from "yjs";

globalThis.fillPeer = (content) => {
  const doc = new Y.Doc();
  const paragraphs = content.split("\n").map((line) => {
    const paragraph = new Y.XmlElement("paragraph");
    paragraph.insert(0, [new Y.XmlText(line)]);
    return paragraph;
  });
  doc.getXmlFragment("default").insert(0, paragraphs);
  const editor = new Editor({
    element: document.body,
    extensions: [StarterKit.configure({ undoRedo: false }), Collaboration.configure({ document: doc })],
  });
  editor.commands.focus("end");
};
