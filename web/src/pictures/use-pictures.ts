import { useEffect, useMemo } from "react";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import { readBlob, uploadBlob } from "../browser/blob-client.ts";
import { asPicture, ShownPictures } from "../browser/shown-pictures.ts";
import { folderFile } from "../files/folder-file.ts";
import type { OpenFile } from "../files/use-files.ts";
import type { PictureKeeper } from "../live/picture-input.ts";
import { pictureAddress, resolvedPath } from "../markdown/picture.ts";
import { uploadedPictures } from "../markdown/picture.tsx";
import { useApp } from "../ui/app-context.ts";
import { pictureName, refusedPicture } from "./picture-names.ts";

/** Where the pictures of a document come from, and where new ones go. */
export interface DocumentPictures {
  readonly shown: ShownPictures;
  readonly keeper: PictureKeeper;
}

/** Pictures of a canvas are uploads; those of a file are files beside it. */
export function usePictures(file: OpenFile | null): DocumentPictures {
  const { client, tell, announce } = useApp();
  const folderId = file?.folderId ?? null;
  const path = file?.path ?? null;
  const pictures = useMemo((): DocumentPictures => {
    const place = folderId === null || path === null ? null : { folderId, path };
    const keep = async (picture: File): Promise<string | null> => {
      const refused = refusedPicture(picture, await asPicture(picture));
      const kept = refused ?? (await stored(client, picture, place));
      if (typeof kept === "object" && "address" in kept) {
        announce(`${picture.name} is in the text`);
        return kept.address;
      }
      tell(kept);
      return null;
    };
    return { shown: place === null ? uploadedPictures : ofFile(client, place), keeper: { keep } };
  }, [client, tell, announce, folderId, path]);
  useEffect(
    () => () => {
      if (pictures.shown !== uploadedPictures) pictures.shown.close();
    },
    [pictures],
  );
  return pictures;
}

type Place = Pick<OpenFile, "folderId" | "path">;

function ofFile(client: HeddleClient, { folderId, path }: Place): ShownPictures {
  return new ShownPictures(async (address) => {
    const named = pictureAddress(address);
    const { signal } = new AbortController();
    if (named === null) return null;
    if (named.type === "blob") return readBlob(named.id, signal);
    const resolved = resolvedPath(path, named.path);
    const found = resolved === null ? null : await folderFile(client, { folderId, path: resolved, signal });
    return found instanceof File ? found : null;
  });
}

/** How many names are tried before a picture's name is given up. */
const triesMax = 50;

/** Stores a picture; returns the address that names it, or why it could not be stored. */
async function stored(
  client: HeddleClient,
  picture: File,
  place: Place | null,
): Promise<{ readonly address: string } | string | Refusal> {
  const uploaded = await uploadBlob(picture);
  if (!uploaded.ok) return uploaded.error;
  const blobId = uploaded.value.id;
  if (place === null) return { address: `blob:${blobId}` };
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const address = `images/${pictureName(picture.name, attempt)}`;
    const path = resolvedPath(place.path, address) ?? address;
    const written = await client.call("file.put", { folderId: place.folderId, path, blobId });
    if (written.ok) return { address };
    if (written.error.code !== "FILE_EXISTS") return written.error;
  }
  return `There are many pictures called ${picture.name} already. Give it another name and try again.`;
}
