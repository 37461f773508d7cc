package kmlcsv

import (
	"errors"
	"strings"
	"testing"
)

func TestNamesInOldEncodingsAreRead(t *testing.T) {
	for encoding, names := range map[string]string{
		"windows-1252": "Brücke Größe Höhe Münster Façade Année Peñón São Ångström Mølle",
		"windows-1250": "Łódź Kraków Gdańsk Wrocław Żywiec Plzeň Příbram Děčín Győr",
		"windows-1251": "Опора Мачта Скважина Площадка Мост",
		"windows-1253": "Γέφυρα Πύργος Αθήνα Σταθμός",
		"windows-1254": "Köprü Şantiye Çiftliği Irmağı Direği Güneş",
		"windows-1255": "גשר מגדל תחנה שדה",
		"windows-1256": "جسر برج محطة حقل",
		"windows-1257": "Tilts Rīga Jūrmala Šiauliai Kėdainiai Pļaviņas",
		"koi8-r":       "Опора Мачта Скважина Площадка Мост",
		"cp866":        "Опора Мачта Скважина Площадка Мост",
		"cp850":        "Brücke Höhe Gebäude Übung Größe Straße",
		"cp852":        "Brücke Łódź Wrocław Gdańsk Děčín",
		"macintosh":    "Brücke Gebäude Größe Straße Höhe Übung",
		"shift_jis":    "鉄塔 東棟 風車 現場 サイト ポンプ場",
		"gbk":          "测试点 风机 铁塔 大桥 工厂 光伏电站",
		"big5":         "測試點 風機 鐵塔 大橋 工廠 光電廠",
		"euc-kr":       "철탑 풍력발전기 교량 공장 태양광",
	} {
		e, _ := findEncoding(encoding)
		var table strings.Builder
		table.WriteString("ID;Name;Lat;Lon\n")
		for i, name := range strings.Fields(names) {
			table.WriteString(strings.Join([]string{string(rune('1' + i)), name, "48.7101", "9.1101"}, ";") + "\n")
		}
		raw := encoded(t, e, table.String())
		res, err := Parse([]byte(raw), Options{NoPlaces: true, Encoding: encoding})
		if err != nil || nameList(res) != names {
			t.Errorf("%s, chosen: %v, %v", encoding, nameList(res), err)
		}
		res, err = Parse([]byte(raw), Options{NoPlaces: true})
		if err == nil && nameList(res) == names {
			continue
		}
		asked := false
		if e := (*Error)(nil); errors.As(err, &e) && e.Code == NeedsAnswer {
			for _, c := range res.Questions[0].Choices {
				asked = asked || c.Value == encoding
			}
		}
		t.Logf("%s: %v", encoding, err)
		if !asked {
			t.Errorf("%s: read as %s without a question that offers it: %v", encoding, nameList(res), err)
		}
	}
}

func nameList(res *Result) string {
	var names []string
	for _, p := range res.Placemarks {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}
