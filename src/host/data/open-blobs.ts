import { openFolderBlobs } from "../../adapters/blobs/folder-blobs.ts";
import { openS3Blobs } from "../../adapters/blobs/s3-blobs.ts";
import { shownS3Place } from "../../adapters/blobs/s3-place.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Configuration } from "./configuration.ts";
import type { DataDirectory } from "./data-directory.ts";

/** Opens the images and files of a configuration: in the data folder, or in an S3 store. */
export async function openBlobs(
  { blobs: place }: Pick<Configuration, "blobs">,
  { blobs: folder }: DataDirectory,
  clock: Clock,
): Promise<Result<BlobStore, Refusal>> {
  try {
    return ok(
      place === undefined ? await openFolderBlobs({ folder, now: () => clock.now() }) : await openS3Blobs(place, clock),
    );
  } catch (problem) {
    const reason = reasonOf(problem);
    const path = place === undefined ? `folder ${folder}` : `store ${shownS3Place(place)}`;
    const message = `The ${path} of images and files cannot be used: ${reason.replace(/\.$/u, "")}.`;
    return err(refusal("STORE_FAILED", { path, reason }, message));
  }
}
