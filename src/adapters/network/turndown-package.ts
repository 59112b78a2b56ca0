// The only file that imports Turndown, which the build bundles in its place.
export { default as Turndown } from "turndown";
