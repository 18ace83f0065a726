INSERT INTO programmes (programme_id, title, genre, first_aired_on, last_aired_on) VALUES
(1, 'Harbour Lights', 'drama', '1951-10-07', '1968-06-30'),
(2, 'The Weather Kitchen', 'magazine', '1958-01-13', '1991-12-20'),
(3, 'Midnight Gramophone', 'music', '1949-03-04', NULL),
(4, 'Seven Questions', 'quiz', '1963-09-02', '1979-05-28'),
(5, 'Voices from the Valley', 'documentary', '1955-04-19', '1986-11-11'),
(6, 'Śpiewnik domowy', 'music', '1971-02-14', '1989-08-27'),
(7, 'Sunday Serial', 'drama', '1966-01-02', NULL),
(8, 'Junior Laboratory', 'children', '1960-10-03', '1974-03-29'),
(9, 'Farm at Five', 'magazine', '1947-05-05', '1995-09-29'),
(10, 'Ceol na nOileán', 'music', '1978-06-10', NULL),
(11, 'Ghosts of Platform Nine', 'drama', '1983-10-31', '1984-12-18'),
(12, 'Letters Home', 'documentary', '1969-11-09', '2002-04-14');

INSERT INTO presenters (presenter_id, stage_name, birth_name, born_year, hometown) VALUES
(1, 'Aubrey Lane', 'Albert Lanfranchi', 1912, 'Portleigh'),
(2, 'Cecily Marsh', NULL, 1920, 'Wexcombe'),
(3, 'Uncle Ferdie', 'Ferdinand Osei', 1908, 'Portleigh'),
(4, 'Rosamund Vale', 'Rosamund Vale', 1931, 'Ellsmere'),
(5, 'Stanisław Grot', 'Stanisław Grotowicz', 1927, 'Gdynia'),
(6, 'Máire Ní Bhriain', NULL, 1944, 'Inishcarrow'),
(7, 'Desmond Tull', 'Desmond Tull', 1938, 'Wexcombe'),
(8, 'The Night Clerk', NULL, NULL, 'Portleigh'),
(9, 'Philippa Strand', 'Philippa Strandberg', 1949, 'Ellsmere'),
(10, 'Jasper Okoro', 'Jasper Okoro', 1953, 'Wexcombe'),
(11, 'Señora Paz', 'Paz Alarcón', 1936, 'Ronda Alta'),
(12, 'Winifred Bly', NULL, 1915, 'Ellsmere'),
(13, 'Kit Farrow', 'Christopher Farrow', 1957, 'Inishcarrow'),
(14, 'Leopold Zink', 'Leopold Zinkernagel', 1924, 'Gdynia');
