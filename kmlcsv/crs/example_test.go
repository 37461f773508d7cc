package crs_test

import (
	"fmt"

	"flightdesk/kmlcsv/crs"
)

func Example() {
	system, err := crs.Find("ETRS89 / UTM zone 32N")
	if err != nil {
		fmt.Println(err)
		return
	}
	lng, lat, err := system.ToWGS84(512345, 5400000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.6f, %.6f\n", system.Reference(), lat, lng)
	// Output: EPSG:25832: 48.752891, 9.167951
}

func ExampleFind() {
	for _, query := range []string{"31468", "UTM 32N", "LV95", "MGA2020 z55", "NAD83 / California zone 5 (ftUS)"} {
		system, err := crs.Find(query)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s, %s, in %s\n", system.Reference(), system.Name(), system.Unit().Name)
	}
	// Output:
	// EPSG:31468, DHDN / 3-degree Gauss-Kruger zone 4, in metre
	// EPSG:32632, WGS 84 / UTM zone 32N, in metre
	// EPSG:2056, CH1903+ / LV95, in metre
	// EPSG:7855, GDA2020 / MGA zone 55, in metre
	// EPSG:2229, NAD83 / California zone 5 (ftUS), in US survey foot
}

func ExampleParse() {
	system, err := crs.Parse(`PROJCS["Site grid",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",
		SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],
		PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",1000.0],PARAMETER["False_Northing",-5300000.0],
		PARAMETER["Central_Meridian",11.5],PARAMETER["Scale_Factor",1.0],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	lng, lat, err := system.ToWGS84(1000, 33000)
	fmt.Printf("%s: %.5f, %.5f %v\n", system.Name(), lat, lng, err)
	// Output: Site grid: 48.13106, 11.50000 <nil>
}

func ExampleSystem_FromWGS84() {
	system, err := crs.FindCode(2154)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y, err := system.FromWGS84(2.3522, 48.8566)
	fmt.Printf("%.2f %.2f %v\n", x, y, err)
	// Output: 652469.02 6862035.26 <nil>
}

func ExampleSystem_AccuracyAt() {
	system, err := crs.Find("British National Grid")
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy := system.AccuracyAt(-0.1276, 51.5072)
	fmt.Println(accuracy.Metres, accuracy.Operation)
	fmt.Println(accuracy.Warning)
	// Output:
	// 5 OSGB36 to WGS 84 (6)
	// OSGB36 is converted without its grid: up to 5 m off (uk_os_OSTN15_NTv2_OSGBtoETRS.tif)
}
