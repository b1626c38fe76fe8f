-- A list that is walked in its order tests each game against the other conditions of its filter. What these are about
-- stands in the index, so that the games themselves are not read.
DROP INDEX games_by_ply_count;
CREATE INDEX games_by_ply_count ON games (ply_count, seq, facet, source, event, played_at, black, white);
DROP INDEX games_by_played_at;
CREATE INDEX games_by_played_at
    ON games (COALESCE(played_at, -100000000000000000), seq, facet, source, event, ply_count, black, white, played_at);
