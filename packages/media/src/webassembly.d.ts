/**
 * The part of the WebAssembly JavaScript API (W3C, core 2) that the engine uses. TypeScript declares it only in the DOM
 * library, whose other globals must not be visible here.
 */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  var Module: {
    prototype: Module;
    new (bytes: ArrayBufferView | ArrayBuffer): Module;
  };

  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  var Memory: {
    prototype: Memory;
    new (descriptor: { initial: number; maximum?: number; shared?: boolean }): Memory;
  };

  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  var Instance: {
    prototype: Instance;
    new (module: Module, imports?: Record<string, Record<string, unknown>>): Instance;
  };

  function compile(bytes: ArrayBufferView | ArrayBuffer): Promise<Module>;
}
