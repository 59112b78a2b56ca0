import type { Observable } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import { attachmentsMax } from "../../../../src/core/protocol/base/limits.ts";
import { freshId } from "../../browser/session.ts";
import type { Uploaded } from "../../browser/blob-client.ts";

/** A file for the next message: uploading or uploaded. */
export interface PendingAttachment {
  readonly key: string;
  readonly name: string;
  /** null until the upload has ended. */
  readonly blobId: string | null;
  /** A smaller copy of an image that some provider does not take. */
  readonly scaledBlobId?: string;
}

type Files = readonly PendingAttachment[];

interface AttachmentPorts {
  /** Returns a smaller copy of an image that some provider does not take; null where none is needed or can be made. */
  readonly scale: (file: File) => Promise<Blob | null>;
  readonly upload: (file: Blob) => Promise<Result<Uploaded, string | Refusal>>;
  readonly announce: (sentence: string) => void;
  readonly tell: (message: string | Refusal) => void;
}

const none: Files = [];

/** The attachments of one conversation's next message. They are kept while another conversation is open. */
export class Attachments implements Observable<Files> {
  readonly #ports: AttachmentPorts;
  readonly #listeners = new Set<() => void>();
  #files: Files = none;

  constructor(ports: AttachmentPorts) {
    this.#ports = ports;
  }

  readonly get = (): Files => this.#files;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Uploads files up to the maximum of a message. */
  readonly add = (files: readonly File[]): void => {
    const room = attachmentsMax - this.#files.length;
    if (files.length > room) this.#ports.tell(`A message can have at most ${attachmentsMax} files.`);
    for (const file of files.slice(0, Math.max(0, room))) void this.#upload(file);
  };

  readonly remove = (key: string): void => {
    this.#change(this.#files.filter((each) => each.key !== key));
  };

  /** Returns all files and leaves none; `putBack` if the message was not sent. */
  take(): Files {
    const files = this.#files;
    this.#change(none);
    return files;
  }

  putBack(files: Files): void {
    if (files.length > 0) this.#change([...files, ...this.#files]);
  }

  async #upload(file: File): Promise<void> {
    const { upload, scale, announce, tell } = this.#ports;
    const key = freshId("file");
    const name = file.name.replaceAll(/[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "_").slice(0, 255) || "file";
    this.#change([...this.#files, { key, name, blobId: null }]);
    const uploaded = await upload(file);
    if (!uploaded.ok) {
      this.remove(key);
      tell(uploaded.error);
      return;
    }
    const copy = await scale(file);
    // Without its copy the image still goes to every provider that takes it as it is.
    const scaled = copy === null ? null : await upload(copy);
    const ids = { blobId: uploaded.value.id, ...(scaled?.ok === true ? { scaledBlobId: scaled.value.id } : {}) };
    this.#change(this.#files.map((each) => (each.key === key ? { ...each, ...ids } : each)));
    announce(scaled?.ok === true ? `${name} attached, with a smaller copy for models` : `${name} attached`);
  }

  #change(files: Files): void {
    this.#files = files;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether an upload is still under way. */
export function isUploading(files: Files): boolean {
  return files.some(({ blobId }) => blobId === null);
}
