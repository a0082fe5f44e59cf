/** A TCP proxy whose connection can be cut; see the implementation. */
export declare function openProxy(target: { host: string; port: number } | { path: string }): Promise<{
  readonly port: number;
  cut(how: 'refused' | 'silent'): void;
  mend(): void;
  close(): Promise<void>;
}>;
