INSERT INTO depots (depot_id, name, city, opened_on) VALUES
(1, 'Zuidhaven', 'Rotterdam', '2015-03-02'),
(2, 'Binnenring', 'Utrecht', '2016-08-15'),
(3, 'Leie Park', 'Gent', '2018-01-22'),
(4, 'Rijnkade', 'Arnhem', '2019-10-07'),
(5, 'Noorderveld', 'Groningen', '2023-05-30');

INSERT INTO lockers
(locker_id, depot_id, street, compartments, solar_powered, installed_on, firmware) VALUES
(1, 1, 'Kadeplein 4', 48, 0, '2015-06-11', '2.8.1'),
(2, 1, 'Sluisweg 112', 36, 0, '2016-02-03', '2.8.1'),
(3, 1, 'Maasboulevard 9', 72, 1, '2020-09-24', '3.1.0'),
(4, 1, 'Visserslaan 31', 24, 1, '2022-11-08', '3.1.0'),
(5, 2, 'Domstraat 2', 40, 0, '2016-10-19', '2.8.1'),
(6, 2, 'Catharijnepad 77', 64, 0, '2017-05-02', NULL),
(7, 2, 'Weerdsingel 15', 28, 1, '2021-03-16', '3.0.4'),
(8, 2, 'Lombokplein 1', 36, 1, '2023-07-04', '3.1.0'),
(9, 3, 'Korenmarkt 8', 52, 0, '2018-04-25', '2.9.0'),
(10, 3, 'Coupure Links 210', 32, 1, '2019-12-12', '3.0.4'),
(11, 3, 'Sint-Pietersdreef 5', 60, 1, '2022-02-28', '3.1.0'),
(12, 4, 'Velperplein 3', 44, 0, '2020-01-30', '3.0.4'),
(13, 4, 'Rijnkade 56', 30, 1, '2021-08-17', NULL),
(14, 4, 'Sonsbeeksingel 90', 26, 1, '2024-03-05', '3.1.0'),
(15, 5, 'Vismarkt 22', 56, 0, '2023-06-20', '3.1.0'),
(16, 5, 'Noorderplantsoen 1', 20, 1, '2024-02-13', '3.1.0');

INSERT INTO couriers (courier_id, name, depot_id, vehicle, hired_on, left_on) VALUES
(1, 'Joris van Dael', 1, 'van', '2015-03-02', NULL),
(2, 'Saskia Oudejans', 1, 'cargo bike', '2017-04-18', NULL),
(3, 'Emre Çelik', 1, 'van', '2019-09-02', '2024-04-30'),
(4, 'Fenna Postma', 2, 'cargo bike', '2016-08-15', NULL),
(5, 'Ruben Achterveld', 2, 'van', '2018-11-05', NULL),
(6, 'Naïma El Idrissi', 2, 'cargo bike', '2021-06-14', NULL),
(7, 'Lieven Claeys', 3, 'van', '2018-01-22', NULL),
(8, 'Zoë Vermeulen', 3, 'cargo bike', '2020-02-10', '2024-02-29'),
(9, 'Tibo Lambrecht', 3, 'cargo bike', '2022-09-26', NULL),
(10, 'Hanneke Brouwer', 4, 'van', '2019-10-07', NULL),
(11, 'Milan Kuipers', 4, 'electric scooter', '2022-03-21', NULL),
(12, 'Grietje Wiersma', 5, 'van', '2023-05-30', NULL),
(13, 'Øyvind Hansen', 5, 'electric scooter', '2023-08-28', NULL),
(14, 'Daan Smit', 5, 'cargo bike', '2024-06-03', NULL);
