const ADDRESSES = 60;

/** Clients that know a user's email address. */
export const SIGN_IN_ATTACKS = [
  {
    name: 'wrong-passwords',
    what: `${ADDRESSES} wrong passwords for the owner from as many addresses, then the owner signs in`,
    soils: true,
    async run(stage) {
      const signIn = (address, password) =>
        stage.call('POST', '/api/v1/session', {
          headers: { 'x-forwarded-for': address },
          body: { email: stage.owner.email, password },
        });
      const answers = await Promise.all(
        Array.from({ length: ADDRESSES }, (_, n) => signIn(`198.51.100.${n + 1}`, `wrong password ${n}`)),
      );
      const owner = await signIn('203.0.113.7', stage.owner.password);
      return {
        answers: [...answers, owner],
        note: `the owner: ${owner.status}`,
        missed: owner.status === 200 ? [] : ['the owner is locked out'],
      };
    },
  },
];
