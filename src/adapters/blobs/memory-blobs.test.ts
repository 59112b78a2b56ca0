import { describeBlobs } from "../../testing/blob-suite.ts";
import { openMemoryBlobs } from "./memory-blobs.ts";

describeBlobs("memory", async (now) => ({ blobs: openMemoryBlobs(now), dispose: async () => {} }));
