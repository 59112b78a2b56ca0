// The only file that imports @cfworker/json-schema, whose one class the build bundles in its place.
export { Validator } from "@cfworker/json-schema";
