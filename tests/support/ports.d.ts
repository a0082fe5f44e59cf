/** A free TCP port of the loopback; see the implementation. */
export declare function freePort(): Promise<number>;
