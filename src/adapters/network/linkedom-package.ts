// The only file that imports linkedom, which the build bundles in its place.
export { type PageDocument, parseHTML } from "linkedom";
