/**
 * The longest turn of the event loop during `act`, ms: processor time where that is less, because other processes may have had the cores.
 */
export async function longestTurn(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let [at, cpu] = [performance.now(), process.cpuUsage()];
  const turn = () => {
    const { user, system } = process.cpuUsage(cpu);
    longest = Math.max(longest, Math.min(performance.now() - at, (user + system) / 1000));
    [at, cpu] = [performance.now(), process.cpuUsage()];
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await act();
  isOver = true;
  turn();
  return longest;
}
