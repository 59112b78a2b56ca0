// The only file that imports Mozilla's Readability, which the build bundles in its place.
export { Readability } from "@mozilla/readability";
