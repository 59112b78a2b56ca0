/** The values of registers; runs set them, and they last as long as the opened state. */
export interface Registers {
  [register: string]: string;
}

/** Empty registers; never written to. */
export const noRegisters: Registers = Object.freeze({});

/** Returns a text with each `{register}` replaced. */
export function filled(template: string, registers: Registers): string {
  let text = "";
  let from = 0;
  for (let open = template.indexOf("{"); open !== -1; open = template.indexOf("{", open + 1)) {
    const close = template.indexOf("}", open);
    const value = close === -1 ? undefined : registers[template.slice(open + 1, close)];
    if (value === undefined) continue;
    text += template.slice(from, open) + value;
    from = close + 1;
  }
  return from === 0 ? template : text + template.slice(from);
}
