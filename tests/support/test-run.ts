/** Environment variable with the folder of this run of the tests; set by the global setup. */
export const TEST_RUN_FOLDER = 'VITEST_FIGUREHEAD_RUN';
