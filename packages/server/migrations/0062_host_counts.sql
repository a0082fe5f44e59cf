-- How many streams a host has open, in the host's own row: choosing a host reads as many rows as there are hosts, and opening streams on
-- different hosts takes different locks. Opening a stream locks the row of its host (features/streams/hosts.ts); these triggers keep the count,
-- for every statement that creates, moves, ends or removes a stream.
alter table stream_hosts add column open integer not null default 0;
-- Heartbeats and counts update rows in place (HOT).
alter table stream_hosts set (fillfactor = 50);
update stream_hosts h set open = (select count(*) from streams s where s.host_id = h.id and s.state <> 'closed');

create function count_streams_of_host() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state <> 'closed' then
    update stream_hosts set open = open - 1 where id = old.host_id;
  end if;
  if tg_op <> 'DELETE' and new.state <> 'closed' then
    update stream_hosts set open = open + 1 where id = new.host_id;
  end if;
  return null;
end $$;

-- At the end of the transaction: the row of the host is then the last that it locks, and is held no longer than the commit takes.
create constraint trigger streams_counted_opened after insert on streams
  deferrable initially deferred for each row when (new.state <> 'closed') execute function count_streams_of_host();
create constraint trigger streams_counted_removed after delete on streams
  deferrable initially deferred for each row when (old.state <> 'closed') execute function count_streams_of_host();
-- Reports update every open stream every two seconds; the condition excludes these without a function call.
create constraint trigger streams_counted_changed after update on streams
  deferrable initially deferred for each row
  when ((old.state = 'closed') is distinct from (new.state = 'closed') or old.host_id is distinct from new.host_id)
  execute function count_streams_of_host();
