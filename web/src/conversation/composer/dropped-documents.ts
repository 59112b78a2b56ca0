import { isRecord } from "../../browser/stored.ts";
import { dragType, type NamedDocument } from "../../documents/named-document.ts";

/** Returns the documents of the tree that are dropped; what another page made up is left out. */
export function documentsDropped(data: Pick<DataTransfer, "getData">): readonly NamedDocument[] {
  const text = data.getData(dragType);
  if (text === "") return [];
  try {
    const dropped: unknown = JSON.parse(text);
    return Array.isArray(dropped) ? dropped.filter(isNamedDocument) : [];
  } catch {
    return [];
  }
}

function isNamedDocument(value: unknown): value is NamedDocument {
  if (!isRecord(value)) return false;
  const { type, id, title, folderId, path } = value;
  return type === "canvas"
    ? typeof id === "string" && typeof title === "string"
    : type === "file" && typeof folderId === "string" && typeof path === "string";
}
