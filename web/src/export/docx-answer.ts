/** A picture of a Word document. */
export interface DocxPictureBytes {
  readonly type: string;
  readonly bytes: ArrayBuffer;
}

/** What the worker answers: pictures have addresses `images/N` until they are kept. */
export type DocxAnswer =
  | { readonly html: string; readonly pictures: readonly DocxPictureBytes[]; readonly messages: readonly string[] }
  | { readonly failed: string };
