// The only file that imports `gpt-tokenizer`: the build puts the package's one needed module (2 MB) in its place.
export { countTokens } from "gpt-tokenizer/encoding/o200k_base";
