-- Distributes every table by lane. Run on the coordinator, by the owner of the tables, with no worker and no command running:
-- psql -v ON_ERROR_STOP=1 -1 -d DATABASE -f sql/citus/01_distribute.sql
-- Before: the nodes are known (citus_add_node), and the database is migrated by this release. All or nothing: -1 makes it one
-- transaction. Rows that are there are moved; it takes as long as writing them anew.

-- Reference tables and distributed ones in one transaction: one connection to each node, or Citus refuses.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';
-- A shard holds lanes, by the hash of their number. Each look for work asks every shard, so few are cheap; but nodes beyond
-- their number have nothing to do. 32 shards hold 3 to 17 lanes each, and many more would leave some of them empty.
\if :{?shards} \else \set shards 8 \endif
SET LOCAL citus.shard_count = :shards;

-- Finds an account by e-mail and keeps e-mails unique over all lanes, so it cannot be distributed by lane. Every node has
-- a copy, which is written when an account is added, gets another e-mail, or is erased.
SELECT create_reference_table('account_email');
-- The same by Google or Apple. Written when an identity is linked or unlinked.
SELECT create_reference_table('account_identity');
-- And by phone. Written when a phone is confirmed or removed.
SELECT create_reference_table('account_phone');
-- Finds whoever has a phone, in whatever lane. Written when a device is added or removed.
SELECT create_reference_table('device_token');

-- Whether the database is for tests: one row at most.
SELECT create_reference_table('database_mark');

-- The catalogue of stores, the same for all accounts. Written when the operator imports one.
SELECT create_reference_table('store');
SELECT create_reference_table('place');
-- And of postcodes.
SELECT create_reference_table('postcode');

-- What a foreign key refers to comes before the table that has the key. All tables are placed alike, so that a lane's rows
-- lie on one node whatever table they are in: foreign keys, joins and transactions of a lane stay there.
-- Distributed, though they are small: schedulers, commands and workers lock a lane's row beside its other rows.
SELECT create_distributed_table('lane', 'lane', colocate_with => 'none');
SELECT create_distributed_table('lane_delivery', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('lane_watch', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('outage', 'lane', colocate_with => 'lane');

SELECT create_distributed_table('account', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_password', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_picture', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_session', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_change_head', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_change', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('edited_item', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('idempotent_request', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('device', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('push_action', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('tag', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('import_batch', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('import_change', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('erasure', 'lane', colocate_with => 'lane');

SELECT create_distributed_table('plant', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('plant_tag', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('cycle_change', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('postponement', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('watering', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('affection_entry', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('pause', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('plant_summary', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_summary', 'lane', colocate_with => 'lane');

SELECT create_distributed_table('thing', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('thing_tag', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('thing_completion', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('tombstone', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('thing_share', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('calendar_feed', 'lane', colocate_with => 'lane');

SELECT create_distributed_table('shopping_list', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('list_receipt', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('helped_list', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('list_news', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('helper_rating', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('account_block', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('list_report', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('list_measure', 'lane', colocate_with => 'lane');

-- Partitioned by time and distributed by lane: a partition that is attached later is distributed as its parent is.
SELECT create_distributed_table('occurrence', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('occurrence_outcome', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('push_job', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('push_outcome', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('push_receipt', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('push_device_outcome', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('sent_push', 'lane', colocate_with => 'lane');
SELECT create_distributed_table('push_retry', 'lane', colocate_with => 'lane');

-- engine_lock, push_day, schema_migration, throttle and verification_code stay on the coordinator, to which all programs connect.
