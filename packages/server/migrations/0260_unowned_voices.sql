-- Voices that may exist at a speech provider without a cloned voice here: written before one is made there, and when one is deleted while its
-- provider is not configured.
create table unowned_voices (
  -- Of the cloned voice.
  id text primary key,
  provider text not null,
  -- Id of the voice at the provider; null: it is found by its label.
  voice text,
  created_at timestamptz not null
);
