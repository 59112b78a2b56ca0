import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import { mediaHeadBytes, mediaTypeOf } from "../../core/message/media-type.ts";
import { mediaBytesMax, refusedMedia } from "../blobs/attachments.ts";
import { trashAct } from "../access/audit-notes.ts";
import { blobReader } from "../blobs/blob-reader.ts";
import { keepUpload } from "../blobs/keep-upload.ts";
import { documentKey } from "../../core/rights/object-key.ts";
import type { fileCommands } from "../../core/protocol/command/file.ts";
import { shareAsCanvas } from "../canvas/arrange-canvas.ts";
import { nothing, type Performs } from "./base/call.ts";
import { filesOfBlock, folderFiles, writableFolderFiles } from "./base/folder-files.ts";
import { listFiles } from "./base/list-files.ts";

export const performFile: Performs<keyof typeof fileCommands> = {
  "file.list": ({ workspace, reach }, params) => listFiles(workspace, params, reach),
  async "file.open"({ workspace, author }, { folderId, path, asCanvas = false }) {
    const files = await folderFiles(workspace, folderId);
    const opened = files.ok ? await files.value.open(path) : files;
    if (!opened.ok) return opened;
    const shared =
      asCanvas && workspace.hasCanvasTools ? await shareAsCanvas(workspace, author, opened.value) : ok(undefined);
    return shared.ok ? ok({ blockId: opened.value }) : shared;
  },
  async "file.attach"({ workspace, asking }, { folderId, path }) {
    const files = await folderFiles(workspace, folderId);
    const read = files.ok ? await files.value.bytes(path) : files;
    if (!read.ok) return read;
    const { bytes } = read.value;
    const head = bytes.subarray(0, mediaHeadBytes);
    const mediaType = bytes.length === 0 ? null : mediaTypeOf(head);
    const refused = mediaType === null ? refusal("MEDIA_TYPE_REFUSED", { path }) : refusedMedia(head);
    if (mediaType === null || refused !== null) return err(refused ?? refusal("MEDIA_TYPE_REFUSED", { path }));
    if (bytes.length > mediaBytesMax)
      return err(refusal("BLOB_TOO_LARGE", { size: bytes.length, size_max: mediaBytesMax }));
    const put = await keepUpload(workspace.blobs, asking, bytes);
    return put.ok
      ? ok({ blobId: put.value.id, size: put.value.size, mediaType, name: path.split("/").at(-1) ?? path })
      : put;
  },
  async "file.put"({ workspace, asking }, { folderId, path, blobId }) {
    const files = await writableFolderFiles(workspace, folderId);
    if (!files.ok) return files;
    const unknown = await workspace.blobs.uses?.whyNot([blobId], blobReader(asking, workspace));
    const bytes = unknown ? err(unknown) : await workspace.blobs.get(blobId);
    const written = bytes.ok ? await files.value.put(path, bytes.value) : bytes;
    return written.ok ? ok({ path: written.value }) : written;
  },
  async "file.delete"({ workspace, author, remember, noted }, { folderId, path }) {
    const files = await writableFolderFiles(workspace, folderId);
    if (!files.ok) return files;
    const opened = await files.value.hold(path);
    if (!opened.ok) return opened;
    const deleted = await files.value.delete(author(), opened.value, {
      also: (_version, entry) => [...remember({ entry }, null), ...noted(trashAct("deleted", entry))],
    });
    return deleted.ok ? ok({ entry: deleted.value.entry }) : deleted;
  },
  async "file.move"({ workspace, author, remember, noted }, { folderId, path, to }) {
    const files = await writableFolderFiles(workspace, folderId);
    if (!files.ok) return files;
    const opened = await files.value.hold(path);
    if (!opened.ok) return opened;
    const blockId = opened.value;
    const also = () => [
      ...remember({ blockId, path: to }, null),
      ...noted({ act: "document.moved", object: documentKey(blockId) }),
    ];
    const moved = await files.value.move(author(), blockId, to, { also });
    return moved.ok ? ok({ blockId, path: moved.value.path }) : moved;
  },
  async "file.conflict"({ workspace }, { blockId }) {
    const files = await filesOfBlock(workspace, blockId);
    return files.ok ? files.value.conflictingText(blockId) : files;
  },
  async "file.bring-back"({ workspace }, { blockId }) {
    const files = await filesOfBlock(workspace, blockId);
    return files.ok ? nothing(await files.value.bringBack(blockId)) : files;
  },
  async "file.resolve"({ workspace, author }, { blockId, keep, hash }) {
    const files = await filesOfBlock(workspace, blockId);
    return files.ok ? nothing(await files.value.resolve(author(), blockId, keep, hash)) : files;
  },
};
