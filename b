(;FF[4]GM[1]CA[UTF-8]SZ[6]KM[0]RU[Tromp-Taylor]
;B[dc])
